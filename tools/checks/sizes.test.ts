import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkSizes } from './sizes.ts'

test('a file over 400 lines is found, at its line 400', () => {
  const tree = treeOf({ 'a.ts': '//\n'.repeat(401), 'b.ts': '//\n'.repeat(400), 'contract/src/errors.ts': '//\n'.repeat(600) })
  assert.deepEqual(
    checkSizes(tree).map(({ path, line }) => [path, line]),
    [['a.ts', 400]],
  )
})
