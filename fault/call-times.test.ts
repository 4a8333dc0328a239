import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCallTimes } from './call-times.ts'

test('a call that a fault met counts as during it, however early it was sent, and one soon after it as after', () => {
  let now = 0
  const times = makeCallTimes(1000, () => now)
  const addAt = (endedAt: number, ms: number): void => {
    now = endedAt
    times.add(ms)
  }
  addAt(100, 10)
  now = 200
  times.faultBegins()
  addAt(350, 300)
  now = 400
  times.faultEnds()
  addAt(405, 20)
  addAt(500, 50)
  addAt(1600, 30)

  assert.deepEqual(times.metrics(), { p99_before_ms: 30, p99_during_ms: 300, p99_after_ms: 50 })
})

test('a phase without calls has no figure', () => {
  const times = makeCallTimes()
  times.add(1)
  assert.deepEqual(times.metrics(), { p99_before_ms: 1 })
})
