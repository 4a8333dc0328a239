import { addDays, type DayPeriod, tashkentDay } from '@tessera/contract/calendar-day'

/** Where the rows behind the parts of the overview are listed: paths under /dashboard. `days` are those of the part. */
export const overviewLinks = {
  paid: (days: DayPeriod) => `receipts?date=paid&${daysOf(days)}`,
  created: (days: DayPeriod) => `receipts?${daysOf(days)}`,
  /** Receipts whose last payment was refused for this reason. */
  declined: (reason: string, days: DayPeriod) => `receipts?${daysOf(days)}&reason=${encodeURIComponent(reason)}`,
  codes: (outcome: 'sent' | 'not_sent' | 'verified', days: DayPeriod) => `verification?${daysOf(days)}&outcome=${outcome}`,
  codesOf: (days: DayPeriod) => `verification?${daysOf(days)}`,
  requests: (days: DayPeriod, filter: Readonly<Record<string, string>> = {}) => {
    const range = { from: `${days.from}T00:00`, to: `${addDays(days.to, 1)}T00:00` }
    return `requests?${new URLSearchParams({ ...filter, ...range }).toString()}`
  },
} as const

/** The day of a step of a chart, which is an hour or a day. */
export function dayOfStep(at: number): DayPeriod {
  const day = tashkentDay(at)
  return { from: day, to: day }
}

function daysOf({ from, to }: DayPeriod): string {
  return `from=${from}&to=${to}`
}
