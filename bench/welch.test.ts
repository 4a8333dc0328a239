import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRandom } from '../fault/random.ts'
import { crop, meanOf, welchT } from './welch.ts'

/** Values around a mean, the same in every run. */
function draw(seed: number, mean: number, count = 5000): number[] {
  const random = makeRandom(seed)
  return Array.from({ length: count }, () => mean + random.next() + random.next() + random.next() - 1.5)
}

test('two samples of one kind are within 4.5 standard errors, and two of different kinds are not', () => {
  assert.ok(Math.abs(welchT(draw(1, 10), draw(2, 10))) < 4.5)
  assert.ok(welchT(draw(1, 10.1), draw(2, 10)) > 4.5)
  assert.ok(welchT(draw(1, 10), draw(2, 10.1)) < -4.5)
})

test("Welch's t is the distance of the means over their common standard error", () => {
  // Means 2 and 4, variances 1 and 4: -2 / √(1/3 + 4/3).
  assert.ok(Math.abs(welchT([1, 2, 3], [2, 4, 6]) + 1.5491933384829668) < 1e-12)
})

test('cropping drops slow values of all samples by one common limit', () => {
  const [fast = [], slow = []] = crop(
    [
      [1, 2, 3, 4, 100],
      [1, 2, 3, 4, 90],
    ],
    0.8,
  )
  assert.deepEqual(
    [fast, slow],
    [
      [1, 2, 3, 4],
      [1, 2, 3, 4, 90],
    ],
  )
  assert.equal(meanOf(fast), 2.5)
})
