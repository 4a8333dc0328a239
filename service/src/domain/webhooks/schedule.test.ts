import assert from 'node:assert/strict'
import { test } from 'node:test'

import { maxDeliveryAttempts, retryWaitAfter, retryWaitsMs } from './schedule.ts'

test('an event is attempted ten times over three days and is then dead', () => {
  assert.equal(maxDeliveryAttempts, 10)
  assert.deepEqual(
    Array.from({ length: 10 }, (_, failedAttempts) => retryWaitAfter(failedAttempts, 0.5)),
    retryWaitsMs,
  )
  assert.equal(retryWaitAfter(10, 0.5), null)
  assert.equal(retryWaitAfter(11, 0.5), null)
})

test('a wait varies by at most 20 % in either direction', () => {
  assert.equal(retryWaitAfter(1, 0), 4000)
  assert.equal(retryWaitAfter(1, 0.999_999), 6000)
})
