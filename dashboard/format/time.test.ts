import assert from 'node:assert/strict'
import { test } from 'node:test'

import { dayRange, formatDay, formatHour, formatTime, parseTashkentTime, formatShortTime } from './time.ts'

/** 21 November 2026, 23:50:07 in Tashkent, when it is still 18:50 in UTC. */
const at = Date.UTC(2026, 10, 21, 18, 50, 7)

test('a time of a list has seconds only where they are asked for, and its year only where it is another one', () => {
  const at = Date.UTC(2026, 10, 28, 13, 39, 46)
  assert.equal(formatShortTime(at, at, 'en'), '28 Nov, 18:39')
  assert.equal(formatShortTime(at, Date.UTC(2027, 0, 3), 'en'), '28 Nov 2026, 18:39')
  assert.equal(formatShortTime(at, at, 'en', true), '28 Nov, 18:39:46')
  // The year begins in Tashkent.
  assert.equal(formatShortTime(Date.UTC(2026, 11, 31, 19, 30), Date.UTC(2027, 0, 3), 'en'), '01 Jan, 00:30')
})

test('a time is shown in Tashkent time in each language, in Russian and Uzbek as digits', () => {
  assert.equal(formatTime(at, 'en'), '21 Nov 2026, 23:50:07')
  assert.equal(formatTime(at, 'ru'), '21.11.2026, 23:50:07')
  assert.equal(formatTime(at, 'uz'), '21.11.2026, 23:50:07')
})

test('the hour and the day of a chart step are those of Tashkent', () => {
  const midnight = Date.UTC(2026, 10, 21, 19)
  assert.deepEqual([formatHour(at, 'en'), formatHour(midnight, 'ru')], ['23:50', '00:00'])
  assert.deepEqual([formatDay(at, 'en'), formatDay(midnight, 'en'), formatDay(midnight, 'uz')], ['21 Nov', '22 Nov', '22.11'])
})

test('a typed date and time is read as Tashkent time, and anything else is not a time', () => {
  assert.equal(parseTashkentTime('2026-11-21T23:50'), Date.UTC(2026, 10, 21, 18, 50))
  for (const text of ['', 'today', '2026-13-01T00:00']) assert.ok(Number.isNaN(parseTashkentTime(text)), text)
})

test('a range of days starts at the first midnight and includes the whole last day', () => {
  const dayMs = 86_400_000
  const { from = 0, to = 0 } = dayRange('2026-11-21', '2026-11-21')
  assert.equal(from, Date.UTC(2026, 10, 20, 19))
  assert.equal(to - from, dayMs)
})

test('an empty end of a range is open, and a day before 1970 is the beginning of time', () => {
  assert.deepEqual(dayRange('', ''), {})
  assert.deepEqual(Object.keys(dayRange('2026-11-21', '')), ['from'])
  assert.deepEqual(Object.keys(dayRange('', '2026-11-21')), ['to'])
  assert.deepEqual(dayRange('1960-01-01', '1960-01-02'), { from: 0, to: 0 })
})
