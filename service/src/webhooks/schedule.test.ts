import assert from 'node:assert/strict'
import { test } from 'node:test'

import { triesMax, waitAfter, waitsMs } from './schedule.ts'

test('an event is tried ten times over three days and is then given up', () => {
  assert.equal(triesMax, 10)
  assert.deepEqual(
    Array.from({ length: 10 }, (_, tried) => waitAfter(tried, 0.5)),
    waitsMs,
  )
  assert.equal(waitAfter(10, 0.5), null)
  assert.equal(waitAfter(11, 0.5), null)
})

test('a wait is spread by a fifth to either side, and no further', () => {
  assert.equal(waitAfter(1, 0), 4000)
  assert.equal(waitAfter(1, 0.999_999), 6000)
})
