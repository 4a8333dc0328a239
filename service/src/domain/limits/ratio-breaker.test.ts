import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeRatioBreaker } from './ratio-breaker.ts'

const minuteMs = 60_000
const settings = { windowMs: 60 * minuteMs, minAgeMs: 0, minCount: 10, maxFailurePercent: 30, openForMs: 15 * minuteMs }

function open(more: Partial<typeof settings> = {}, maxSubjects = 9) {
  const clock = { now: 0 }
  const breaker = makeRatioBreaker({ now: () => clock.now, settings: { ...settings, ...more }, maxSubjects })
  const count = (good: number, bad: number, subject = 's') => {
    for (let n = 0; n < good; n++) breaker.count(subject, false)
    for (let n = 0; n < bad; n++) breaker.count(subject, true)
  }
  return { clock, breaker, count }
}

test('a breaker opens above its share of failures, not at it, and never on too few attempts', () => {
  const { breaker, count } = open()
  count(0, 9)
  assert.equal(breaker.waitMs('s'), 0, 'nine are too few, all bad though they are')
  count(21, 0)
  assert.equal(breaker.waitMs('s'), 0, 'nine of thirty are thirty percent')
  count(0, 1)
  assert.equal(breaker.waitMs('s'), settings.openForMs)
  assert.equal(breaker.waitMs('other'), 0)
})

test('an open breaker closes when its pause is over, and starts counting again', () => {
  const { clock, breaker, count } = open()
  count(0, 10)
  assert.equal(breaker.waitMs('s'), settings.openForMs)
  clock.now += settings.openForMs - 1
  assert.equal(breaker.waitMs('s'), 1)
  clock.now += 1
  assert.equal(breaker.waitMs('s'), 0)
  count(0, 9)
  assert.equal(breaker.waitMs('s'), 0)
  count(0, 1)
  assert.equal(breaker.waitMs('s'), settings.openForMs)
})

test('attempts that are too old or too young do not count', () => {
  const old = open()
  old.count(0, 10)
  old.clock.now += 66 * minuteMs
  assert.equal(old.breaker.waitMs('s'), 0)
  const young = open({ minAgeMs: 3 * minuteMs })
  young.count(0, 10)
  young.clock.now = 7 * minuteMs
  assert.equal(young.breaker.waitMs('s'), 0, 'the slice of five minutes ended two minutes ago')
  young.clock.now = 8 * minuteMs
  assert.equal(young.breaker.waitMs('s'), settings.openForMs)
})

test('an attempt that succeeds later is turned into a success in its own slice, once', () => {
  const { clock, breaker, count } = open({ minAgeMs: 3 * minuteMs })
  count(0, 10)
  clock.now = 2 * minuteMs
  for (let n = 0; n < 7; n++) breaker.markSucceeded('s', 2 * minuteMs)
  breaker.markSucceeded('s', 60 * minuteMs)
  breaker.markSucceeded('nobody', 0)
  clock.now = 9 * minuteMs
  assert.equal(breaker.waitMs('s'), 0, 'three of ten')
  const other = open({ minAgeMs: 3 * minuteMs })
  other.count(0, 10)
  for (let n = 0; n < 6; n++) other.breaker.markSucceeded('s', 0)
  other.clock.now = 9 * minuteMs
  assert.equal(other.breaker.waitMs('s'), settings.openForMs, 'four of ten')
})

test('beyond the maximum the subject seen first is dropped', () => {
  const { breaker, count } = open({}, 2)
  for (const subject of ['a', 'b', 'c']) count(0, 10, subject)
  assert.deepEqual(
    ['a', 'b', 'c'].map((subject) => breaker.waitMs(subject) > 0),
    [false, true, true],
  )
})
