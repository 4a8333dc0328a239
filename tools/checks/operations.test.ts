import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkOperations } from './operations.ts'

const complete: Readonly<Record<string, string>> = {
  'service/src/operations/cards.check.ts': '',
  'service/src/operations/cards.check.test.ts': '',
  'conformance/vectors/cards.check.json': '',
  'docs/reference/methods/cards.check.md': '',
  'service/src/operations/registry.ts': '',
  'service/src/operations/matrix.test.ts': '',
  'docs/reference/methods/README.md': '',
}

test('an operation that lacks its code, test, vectors or page is found', () => {
  assert.deepEqual(checkOperations(treeOf(complete), ['cards.check']), [])
  for (const path of Object.keys(complete).filter((name) => name.includes('cards.check'))) {
    const { [path]: _gone, ...rest } = complete
    const found = checkOperations(treeOf(rest), ['cards.check'])
    assert.equal(found.length, 1, path)
    assert.ok(found[0]?.text.endsWith(path), found[0]?.text)
  }
})

test('an operation of the dashboard without code or test in the files of its pages is found', () => {
  const page = {
    'service/src/operations/dashboard.cards.ts': 'export const dashboardCardsList = operation(dashboardCardsListContract, {})',
    'service/src/operations/dashboard.cards.test.ts': "await owner.call('dashboard.cards.list', {})",
  }
  assert.deepEqual(checkOperations(treeOf(page), ['dashboard.cards.list']), [])
  assert.equal(checkOperations(treeOf(page), ['dashboard.cards.list', 'dashboard.cards.get']).length, 2)
})

test('a file named like an operation that is not in the contract is found', () => {
  const stray = { ...complete, 'service/src/operations/cards.steal.ts': '', 'docs/reference/methods/cards.old.md': '' }
  assert.deepEqual(
    checkOperations(treeOf(stray), ['cards.check']).map(({ path }) => path),
    ['service/src/operations/cards.steal.ts', 'docs/reference/methods/cards.old.md'],
  )
})
