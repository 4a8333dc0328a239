import assert from 'node:assert/strict'
import { test } from 'node:test'

import { addDays, countDays, listDays, periodBefore, startOfDay, tashkentDay, toTimeRange } from './calendar-day.ts'

test('a day begins at midnight in Tashkent', () => {
  assert.equal(startOfDay('2026-11-28'), Date.parse('2026-11-27T19:00:00Z'))
  assert.equal(tashkentDay(Date.parse('2026-11-27T19:00:00Z')), '2026-11-28')
  assert.equal(tashkentDay(Date.parse('2026-11-27T18:59:59.999Z')), '2026-11-27')
  assert.deepEqual(toTimeRange({ from: '2026-11-28', to: '2026-11-28' }), {
    from: Date.parse('2026-11-27T19:00:00Z'),
    to: Date.parse('2026-11-28T19:00:00Z'),
  })
})

test('a text that is no day has no beginning', () => {
  for (const day of ['', '2026-02-31', '2026-13-01', '2026-1-1', '2026-11-28T00:00', '1969-12-31', 'today']) {
    assert.ok(Number.isNaN(startOfDay(day)), day)
  }
})

test('a period is compared with as many days before it, over months and leap years', () => {
  assert.equal(addDays('2028-02-28', 1), '2028-02-29')
  assert.equal(countDays({ from: '2026-11-22', to: '2026-11-28' }), 7)
  assert.deepEqual(periodBefore({ from: '2026-03-01', to: '2026-03-31' }), { from: '2026-01-29', to: '2026-02-28' })
  assert.deepEqual(listDays({ from: '2026-12-31', to: '2027-01-01' }), ['2026-12-31', '2027-01-01'])
  assert.deepEqual(listDays({ from: '2027-01-02', to: '2027-01-01' }), [])
})
