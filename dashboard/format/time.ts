import type { Language } from '@tessera/contract/profile'

// Every time on the dashboard is Tashkent time (UTC+5, no daylight saving), whatever the viewer's time zone. Timestamps are Unix milliseconds.

/** Date and time to the second. */
export function formatTime(at: number, language: Language): string {
  return format(at, language, { year: 'numeric', month: styles[language].month, day: '2-digit', ...clock })
}

/** Date and time for the rows of a list, to the minute or to the second; the year is left out where it is this one. */
export function formatShortTime(at: number, now: number, language: Language, hasSeconds = false): string {
  const year = (time: number): number => new Date(time + offsetMs).getUTCFullYear()
  const date = year(at) === year(now) ? formatDay(at, language) : formatDate(at, language)
  return `${date}, ${hasSeconds ? format(at, language, clock) : formatHour(at, language)}`
}

/** Full date and time in the viewer's own time zone, for a tooltip. */
export function formatLocalTime(at: number, language: Language): string {
  const { locale, local } = styles[language]
  return new Date(at).toLocaleString(locale, local)
}

/** Hour and minute, where the day is known: `14:00`. */
export function formatHour(at: number, language: Language): string {
  return format(at, language, { hour: '2-digit', minute: '2-digit' })
}

/** A day with its year: `21 Nov 2026`. */
export function formatDate(at: number, language: Language): string {
  return format(at, language, { year: 'numeric', month: styles[language].month, day: '2-digit' })
}

/** Day and month, where the year is known: `21 Nov`. */
export function formatDay(at: number, language: Language): string {
  return format(at, language, { month: styles[language].month, day: '2-digit' })
}

/** The timestamp of a Tashkent date and time as an input gives it: `2026-11-21T23:50`. NaN if it is not one. */
export function parseTashkentTime(text: string): number {
  return Date.parse(`${text}+05:00`)
}

/** A timestamp as ISO 8601 with the offset of Tashkent, for a file: `2026-11-28T08:20:00+05:00`. */
export function toTashkentIso(at: number): string {
  return `${new Date(at + offsetMs).toISOString().slice(0, 19)}+05:00`
}

/** From the start of one Tashkent day to the end of another, as `receipts.get_all` counts days. A bound whose day is empty is left out. */
export function dayRange(fromDay: string, toDay: string): { readonly from?: number; readonly to?: number } {
  const from = parseTashkentTime(`${fromDay}T00:00`)
  const to = parseTashkentTime(`${toDay}T00:00`) + dayMs
  return {
    ...(Number.isNaN(from) ? {} : { from: Math.max(0, from) }),
    ...(Number.isNaN(to) ? {} : { to: Math.max(0, to) }),
  }
}

function format(at: number, language: Language, options: Intl.DateTimeFormatOptions): string {
  return new Date(at).toLocaleString(styles[language].locale, { ...options, timeZone: 'Asia/Tashkent' })
}

const dayMs = 24 * 3_600_000
const offsetMs = 5 * 3_600_000

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const

/** Uzbek and Russian dates are in digits, as banks write them: columns are narrow and in line. Browsers have no Uzbek month names (Chromium prints "M11"). */
const styles = {
  uz: {
    locale: 'ru-RU',
    month: '2-digit',
    local: { year: 'numeric', month: '2-digit', day: '2-digit', ...clock, timeZoneName: 'short' },
  },
  ru: { locale: 'ru-RU', month: '2-digit', local: { dateStyle: 'full', timeStyle: 'long' } },
  en: { locale: 'en-GB', month: 'short', local: { dateStyle: 'full', timeStyle: 'long' } },
} as const
