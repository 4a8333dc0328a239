import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkCircles } from './circles.ts'

test('a circle of imports is found once, with all its files', () => {
  const tree = treeOf({
    'a.ts': "import { b } from './b.ts'",
    'b.ts': "import type { C } from './deep/c.ts'",
    'deep/c.ts': "export { a } from '../a.ts'",
    'd.ts': "import { a } from './a.ts'",
  })
  assert.deepEqual(
    checkCircles(tree).map((finding) => finding.text),
    ['imports itself: a.ts → b.ts → deep/c.ts → a.ts'],
  )
})

test('two paths to one file are no circle', () => {
  const tree = treeOf({ 'a.ts': "import './b.ts'\nimport './c.ts'", 'b.ts': "import './d.ts'", 'c.ts': "import './d.ts'", 'd.ts': '' })
  assert.deepEqual(checkCircles(tree), [])
})

test('a circle across workspaces is a circle', () => {
  const tree = treeOf({
    'vault/src/seal.ts': "import { card } from '@tessera/contract/card'",
    'contract/src/card.ts': "import { seal } from '../../vault/src/seal.ts'",
  })
  assert.equal(checkCircles(tree).length, 1)
})
