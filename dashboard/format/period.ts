import { addDays, type DayPeriod, startOfDay } from '@tessera/contract/calendar-day'
import type { Language } from '@tessera/contract/profile'

import { formatDate } from './time.ts'

export const periodNames = ['today', 'yesterday', 'last7', 'last30', 'last90', 'thisMonth', 'lastMonth'] as const

/** A period that has a name. All are whole days in UTC+5, and those up to now end with today. */
export type PeriodName = (typeof periodNames)[number]

/** The days of a named period. `today` is a day in UTC+5. */
export function namedPeriod(name: PeriodName, today: string): DayPeriod {
  const monthStart = `${today.slice(0, 7)}-01`
  const endOfLastMonth = addDays(monthStart, -1)
  switch (name) {
    case 'today':
      return { from: today, to: today }
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) }
    case 'last7':
    case 'last30':
    case 'last90':
      return { from: addDays(today, 1 - Number(name.slice(4))), to: today }
    case 'thisMonth':
      return { from: monthStart, to: today }
    case 'lastMonth':
      return { from: `${endOfLastMonth.slice(0, 7)}-01`, to: endOfLastMonth }
  }
}

/** The name of a period; null for one that was typed. */
export function nameOfPeriod({ from, to }: DayPeriod, today: string): PeriodName | null {
  return (
    periodNames.find((name) => {
      const named = namedPeriod(name, today)
      return named.from === from && named.to === to
    }) ?? null
  )
}

/** The period of an address: both days have to exist and be in order. */
export function readPeriod(query: URLSearchParams): DayPeriod | null {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  return startOfDay(from) <= startOfDay(to) ? { from, to } : null
}

/** `22 Nov 2026 – 28 Nov 2026`, or one day. */
export function formatPeriod({ from, to }: DayPeriod, language: Language): string {
  const [first, last] = [formatDate(startOfDay(from), language), formatDate(startOfDay(to), language)]
  return from === to ? first : `${first} – ${last}`
}
