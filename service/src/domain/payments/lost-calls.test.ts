import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import { makeLostCalls } from './lost-calls.ts'

const leaseMs = 30_000

test('a call is lost when its receipt has been due in one version for a lease of the monotonic clock, whatever the wall clock does', () => {
  const clock = makeHandClock()
  const calls = makeLostCalls({ clock, leaseMs })
  const receipt = { receiptId: 'a', version: 3 }
  assert.equal(calls.isLost(receipt), false)
  clock.jump(90 * 86_400_000)
  assert.equal(calls.isLost(receipt), false)
  clock.jump(-180 * 86_400_000)
  clock.advance(leaseMs - 1)
  assert.equal(calls.isLost(receipt), false)
  clock.advance(1)
  assert.equal(calls.isLost(receipt), true)
  assert.equal(calls.isLost({ receiptId: 'b', version: 3 }), false)
})

test('a change of the receipt begins the lease anew', () => {
  const clock = makeHandClock()
  const calls = makeLostCalls({ clock, leaseMs })
  assert.equal(calls.isLost({ receiptId: 'a', version: 3 }), false)
  clock.advance(leaseMs)
  assert.equal(calls.isLost({ receiptId: 'a', version: 4 }), false)
  clock.advance(leaseMs)
  assert.equal(calls.isLost({ receiptId: 'a', version: 4 }), true)
})

test('of more receipts than are remembered the first one is forgotten, and the others are not', () => {
  const clock = makeHandClock()
  const calls = makeLostCalls({ clock, leaseMs })
  for (let number = 0; number <= 10_000; number++) calls.isLost({ receiptId: String(number), version: 1 })
  clock.advance(leaseMs)
  assert.equal(calls.isLost({ receiptId: '10000', version: 1 }), true)
  assert.equal(calls.isLost({ receiptId: '1', version: 1 }), true)
  assert.equal(calls.isLost({ receiptId: '0', version: 1 }), false)
})
