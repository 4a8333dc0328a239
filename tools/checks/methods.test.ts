import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkMethods } from './methods.ts'

const whole = {
  'service/src/methods/cards.check.ts': '',
  'service/src/methods/cards.check.test.ts': '',
  'conformance/vectors/cards.check.json': '',
  'docs/reference/methods/cards.check.md': '',
  'service/src/methods/index.ts': '',
  'service/src/methods/index.test.ts': '',
  'docs/reference/methods/README.md': '',
}

test('a method that lacks its code, test, vectors or page is found', () => {
  assert.deepEqual(checkMethods(treeOf(whole), ['cards.check']), [])
  for (const path of Object.keys(whole).filter((name) => name.includes('cards.check'))) {
    const { [path]: _gone, ...rest } = whole as Record<string, string>
    const found = checkMethods(treeOf(rest), ['cards.check'])
    assert.equal(found.length, 1, path)
    assert.ok(found[0]?.text.endsWith(path), found[0]?.text)
  }
})

test('a file named like a method that the contract does not know is found', () => {
  const found = checkMethods(treeOf({ ...whole, 'service/src/methods/cards.steal.ts': '', 'docs/reference/methods/cards.old.md': '' }), [
    'cards.check',
  ])
  assert.deepEqual(
    found.map(({ path }) => path),
    ['service/src/methods/cards.steal.ts', 'docs/reference/methods/cards.old.md'],
  )
})
