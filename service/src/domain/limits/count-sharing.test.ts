import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeCountSharing, type CountBatch, type CountSharing, type SharedSum } from './count-sharing.ts'
import { makeDistinctCounts, type DistinctCounts } from './distinct-counts.ts'
import { makeRatioBreaker, type RatioBreaker } from './ratio-breaker.ts'
import { makeSlidingCounts, type SlidingCounts } from './sliding-counts.ts'

const now = (): number => 1000
const hour = 3_600_000

/** Two workers; what one sends the other gets when the test says so. */
function twoWorkers() {
  const sent: CountBatch[] = []
  const due: (() => void)[] = []
  const one = makeCountSharing({ send: (batch) => sent.push(batch), later: (run) => due.push(run) })
  const other = makeCountSharing({ send: (batch) => one.receive(batch), later: () => assert.fail('what was received is not sent back') })
  const deliver = (): void => {
    for (const run of due.splice(0)) run()
    // As it is between threads.
    for (const batch of sent.splice(0)) other.receive(structuredClone(batch))
  }
  return { one, other, deliver, sent }
}

test('a call that one worker counts is over the limit in the other', () => {
  const { one, other, deliver } = twoWorkers()
  const windows = [{ count: 3, ms: 60_000 }]
  const make = (sharing: CountSharing): SlidingCounts => sharing.sliding('calls', makeSlidingCounts({ now, maxSubjects: 10 }))
  const [here, there] = [make(one), make(other)]
  for (let i = 0; i < 3; i++) here.count('address', windows)
  assert.equal(there.waitMs('address', windows), 0)
  deliver()
  assert.ok(there.waitMs('address', windows) > 0)
  assert.equal(there.waitMs('another address', windows), 0)
})

test('a subject that is counted often is one entry of a batch, with its number', () => {
  const { one, deliver, sent, other } = twoWorkers()
  const windows = [{ count: 1000, ms: 60_000 }]
  const counts = one.sliding('calls', makeSlidingCounts({ now, maxSubjects: 10 }))
  const there = other.sliding('calls', makeSlidingCounts({ now, maxSubjects: 10 }))
  for (let i = 0; i < 999; i++) counts.count('merchant', windows)
  assert.equal(sent.length, 0)
  deliver()
  assert.equal(there.waitMs('merchant', windows), 0)
  counts.count('merchant', windows)
  deliver()
  assert.ok(there.waitMs('merchant', windows) > 0)
})

test('card numbers of one address are distinct over both workers', () => {
  const { one, other, deliver } = twoWorkers()
  const make = (sharing: CountSharing): DistinctCounts =>
    sharing.distinct('numbers', makeDistinctCounts({ now, windowMs: hour, maxSubjects: 10 }))
  const [here, there] = [make(one), make(other)]
  here.count('address', 'a')
  here.count('address', 'b')
  deliver()
  assert.equal(there.waitMs('address', 'a', 2), 0)
  assert.ok(there.waitMs('address', 'c', 2) > 0)
})

test('what one worker spends the other has spent too, and so has one that is started later', () => {
  const { one, other, deliver } = twoWorkers()
  const make = (sharing: CountSharing): SharedSum => {
    let spent = 0
    return sharing.sum('cost', { add: (amount) => void (spent += amount), total: () => spent })
  }
  const [here, there] = [make(one), make(other)]
  here.add(3)
  here.add(4)
  assert.equal(there.total(), 0)
  deliver()
  assert.deepEqual([here.total(), there.total()], [7, 7])
  const later = makeCountSharing({ send: () => assert.fail('it is not news'), later: () => assert.fail('it is not news') })
  const third = make(later)
  later.receive(structuredClone(other.sums()))
  assert.equal(third.total(), 7)
})

test('a breaker opens in both workers, and what succeeded later closes neither too late', () => {
  const settings = { windowMs: hour, minAgeMs: 0, minCount: 4, maxFailurePercent: 50, openForMs: 60_000 }
  const { one, other, deliver } = twoWorkers()
  const make = (sharing: CountSharing): RatioBreaker => sharing.ratio('failures', makeRatioBreaker({ now, settings, maxSubjects: 10 }))
  const [here, there] = [make(one), make(other)]
  for (let i = 0; i < 4; i++) here.count('merchant', true)
  for (let i = 0; i < 2; i++) here.markSucceeded('merchant', 0)
  deliver()
  assert.equal(there.waitMs('merchant'), 0)
  here.count('merchant', true)
  deliver()
  assert.equal(there.waitMs('merchant'), 60_000)
})
