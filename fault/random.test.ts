import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median } from './statistics.ts'
import { makeRandom } from './random.ts'

test('one seed gives one run, and another seed another', () => {
  const draw = (seed: number): number[] => Array.from({ length: 20 }, makeRandom(seed).next)
  assert.deepEqual(draw(1), draw(1))
  assert.notDeepEqual(draw(1), draw(2))
})

test('drawn numbers stay within both limits, and reach them', () => {
  const random = makeRandom(3)
  const drawn = new Set(Array.from({ length: 1000 }, () => random.between(4, 7)))
  assert.deepEqual([...drawn].sort(), [4, 5, 6, 7])
})

test('the median is the middle value, or the mean of the two middle values', () => {
  assert.deepEqual([median([9, 1, 5]), median([4, 1, 2, 3]), median([7])], [5, 2.5, 7])
  assert.ok(Number.isNaN(median([])))
})
