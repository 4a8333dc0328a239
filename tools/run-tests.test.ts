import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBatches } from './run-tests.ts'

test('every light file is run once: those with a process of their own first, the others a few together, in order', () => {
  const paths = Array.from({ length: 30 }, (_, n) => `${n}.test.ts`)
  const batches = makeBatches(paths, (path) => path === '7.test.ts')
  assert.deepEqual(batches[0], ['7.test.ts'])
  assert.deepEqual(batches.flat().toSorted(), paths.toSorted())
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1, 12, 12, 5],
  )
  assert.deepEqual(
    makeBatches([], () => false),
    [],
  )
})
