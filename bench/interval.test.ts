import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRandom } from '../fault/random.ts'
import { findMedianInterval, measureOfRounds } from './interval.ts'

/** Conover, Practical Nonparametric Statistics, and any table of the sign test: ranks of the bounds, and their confidence. */
const table = [
  { count: 3, ranks: [1, 3], confidence: 0.75 },
  { count: 6, ranks: [1, 6], confidence: 0.969 },
  { count: 7, ranks: [1, 7], confidence: 0.984 },
  { count: 9, ranks: [2, 8], confidence: 0.961 },
  { count: 12, ranks: [3, 10], confidence: 0.961 },
  { count: 20, ranks: [6, 15], confidence: 0.959 },
]

test('the bounds have the ranks and the confidence of the tables of the sign test', () => {
  for (const { count, ranks, confidence } of table) {
    const found = findMedianInterval(Array.from({ length: count }, (_, n) => count - n))
    assert.deepEqual([found?.low, found?.high, found?.rounds], [...ranks, count])
    assert.equal(found?.confidence.toFixed(3), confidence.toFixed(3))
  }
  assert.equal(findMedianInterval([1]), null)
})

test('of many runs of nine rounds the interval holds the true median as often as it says, of a skewed distribution too', () => {
  const random = makeRandom(17)
  const draw = (): number => -Math.log((random.between(0, 999_999) + 1) / 1_000_000)
  let held = 0
  for (let run = 0; run < 4000; run++) {
    const found = findMedianInterval(Array.from({ length: 9 }, draw))
    if (found !== null && found.low <= Math.LN2 && Math.LN2 <= found.high) held += 1
  }
  assert.ok(Math.abs(held / 4000 - 0.961) < 0.015, String(held / 4000))
})

test('a measure of rounds has their median, and no interval of a single one', () => {
  const about = { of: 'create sqlite', name: 'throughput', unit: 'of the floor', target: { least: 0.6 } }
  assert.deepEqual(measureOfRounds([0.7, 0.5, 0.6], about), {
    ...about,
    value: 0.6,
    interval: { low: 0.5, high: 0.7, confidence: 0.75, rounds: 3 },
  })
  assert.deepEqual(measureOfRounds([0.7], about), { ...about, value: 0.7 })
})
