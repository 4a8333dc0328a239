import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { makeDistinctCounts } from './distinct-counts.ts'

test('a value fits exactly when it is present already or fewer than the maximum are, and the wait ends when it fits', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(400), fc.nat(7)), { maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 60, maxLength: 60 }),
      (shown, maxima) => {
        let now = 0
        const counts = makeDistinctCounts({ now: () => now, windowMs: 1000, maxSubjects: 9 })
        const seen: { value: number; at: number }[] = []
        const fits = (value: number, valuesMax: number, at: number): boolean => {
          const live = new Set(seen.filter((each) => each.at + 1000 > at).map((each) => each.value))
          return live.has(value) || live.size < valuesMax
        }
        for (const [i, [gap, value]] of shown.entries()) {
          now += gap
          const valuesMax = maxima[i] ?? 1
          const waitMs = counts.waitMs('s', String(value), valuesMax)
          assert.equal(waitMs === 0, fits(value, valuesMax, now))
          if (waitMs > 0) {
            assert.equal(fits(value, valuesMax, now + waitMs), true)
            assert.equal(fits(value, valuesMax, now + waitMs - 1), false)
            continue
          }
          counts.count('s', String(value))
          seen.push({ value, at: now })
        }
      },
    ),
    { numRuns: 300, seed: 20261121 },
  )
})

test('subjects are counted separately, and beyond the maximum the one seen first is dropped', () => {
  const counts = makeDistinctCounts({ now: () => 0, windowMs: 1000, maxSubjects: 2 })
  for (const subject of ['a', 'b']) counts.count(subject, 'one')
  assert.equal(counts.waitMs('a', 'two', 1), 1000)
  assert.equal(counts.waitMs('c', 'two', 1), 0)
  counts.count('c', 'one')
  assert.equal(counts.waitMs('a', 'two', 1), 0)
  assert.equal(counts.waitMs('b', 'two', 1), 1000)
})
