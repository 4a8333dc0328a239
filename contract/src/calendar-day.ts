// The days of every report are those of Tashkent: UTC+5, without summer time since 1992. A day is written as in ISO 8601, `2026-11-28`.

/** What the dashboard names beside every period. */
export const timeZoneName = 'UTC+5'

/** The day of a timestamp (unix milliseconds). */
export function tashkentDay(at: number): string {
  return new Date(at + aheadMs).toISOString().slice(0, 10)
}

/** When a day begins, unix milliseconds; NaN for a text that is no day. */
export function startOfDay(day: string): number {
  const at = dayPattern.test(day) ? Date.parse(`${day}T00:00:00.000Z`) : Number.NaN
  // Some engines read the 31st of a shorter month as the first days of the next one.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day) ? at - aheadMs : Number.NaN
}

/** The day that is `count` days after another, or before it for a negative count. */
export function addDays(day: string, count: number): string {
  return new Date(startOfDay(day) + aheadMs + count * dayMs).toISOString().slice(0, 10)
}

/** Whole days, both included. */
export interface DayPeriod {
  readonly from: string
  readonly to: string
}

/** How many days a period has; not above 0 if it ends before it begins. */
export function countDays({ from, to }: DayPeriod): number {
  return Math.round((startOfDay(to) - startOfDay(from)) / dayMs) + 1
}

/** The period of as many days that ends the day before. */
export function periodBefore(period: DayPeriod): DayPeriod {
  return { from: addDays(period.from, -countDays(period)), to: addDays(period.from, -1) }
}

/** Every day of a period, in their order. */
export function listDays(period: DayPeriod): string[] {
  return Array.from({ length: Math.max(0, countDays(period)) }, (_, at) => addDays(period.from, at))
}

/** The range of timestamps of a period: from its first millisecond to before the first one after it. */
export function toTimeRange({ from, to }: DayPeriod): { readonly from: number; readonly to: number } {
  return { from: startOfDay(from), to: startOfDay(to) + dayMs }
}

const dayPattern = /^(?:19[7-9]\d|20\d\d)-\d\d-\d\d$/

const dayMs = 24 * 3_600_000
const aheadMs = 5 * 3_600_000
