import assert from 'node:assert/strict'
import { test } from 'node:test'

import { countDays } from '@tessera/contract/calendar-day'

import { formatPeriod, namedPeriod, nameOfPeriod, periodNames, readPeriod } from './period.ts'

test('named periods are whole days, and those up to now end with today', () => {
  const today = '2026-03-01'
  const of = (name: (typeof periodNames)[number]): string => Object.values(namedPeriod(name, today)).join(' ')
  assert.deepEqual(periodNames.map(of), [
    '2026-03-01 2026-03-01',
    '2026-02-28 2026-02-28',
    '2026-02-23 2026-03-01',
    '2026-01-31 2026-03-01',
    '2025-12-02 2026-03-01',
    '2026-03-01 2026-03-01',
    '2026-02-01 2026-02-28',
  ])
  assert.equal(countDays(namedPeriod('last90', today)), 90)
  assert.equal(nameOfPeriod({ from: '2026-02-01', to: '2026-02-28' }, today), 'lastMonth')
  assert.equal(nameOfPeriod({ from: '2026-02-02', to: '2026-02-28' }, today), null)
})

test('a period of an address has two days that exist, in order', () => {
  assert.deepEqual(readPeriod(new URLSearchParams('from=2026-02-01&to=2026-02-28')), { from: '2026-02-01', to: '2026-02-28' })
  for (const query of ['', 'from=2026-02-01', 'from=2026-02-28&to=2026-02-01', 'from=2026-02-30&to=2026-03-01', 'from=<b>&to=2026-02-01']) {
    assert.equal(readPeriod(new URLSearchParams(query)), null, query)
  }
})

test('a period is written with its year, and one day once', () => {
  assert.equal(formatPeriod({ from: '2026-11-22', to: '2026-11-28' }, 'en'), '22 Nov 2026 – 28 Nov 2026')
  assert.equal(formatPeriod({ from: '2026-11-28', to: '2026-11-28' }, 'uz'), '28.11.2026')
})
