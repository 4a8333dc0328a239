import { language, words } from '../app/language.ts'

/** A moment (unix ms) as Tashkent's clocks show it, which is UTC+5; the viewer's own and the whole of it on pointing. */
export function Time({ at }: { at: number }) {
  const moment = new Date(at)
  const { locale, month, own } = styles[language.value]
  return (
    <time dateTime={moment.toISOString()} title={moment.toLocaleString(locale, own)}>
      {write(at, { year: 'numeric', month, day: '2-digit', ...clock })}
    </time>
  )
}

/** The hour of a moment, where its day is known: `14:00`. */
export function writeHour(at: number): string {
  return write(at, { hour: '2-digit', minute: '2-digit' })
}

/** The day of a moment, where its year is known: `21 Nov`. */
export function writeDay(at: number): string {
  return write(at, { month: styles[language.value].month, day: '2-digit' })
}

/** How long a call took: `12 ms`. */
export function writeMs(ms: number): string {
  return `${String(Math.round(ms))} ${words.value.ms}`
}

/** The moment (unix ms) at which Tashkent's clocks show a date and a time, as a field gives them: `2026-11-21T23:50`. NaN for what is none. */
export function readTime(shown: string): number {
  return Date.parse(`${shown}+05:00`)
}

function write(at: number, format: Intl.DateTimeFormatOptions): string {
  return new Date(at).toLocaleString(styles[language.value].locale, { ...format, timeZone: 'Asia/Tashkent' })
}

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const

/** How moments are written. Browsers know no Uzbek months (Chromium writes "M11"), so Uzbek dates are in digits, as they are written there. */
const styles = {
  uz: {
    locale: 'ru-RU',
    month: '2-digit',
    own: { year: 'numeric', month: '2-digit', day: '2-digit', ...clock, timeZoneName: 'short' },
  },
  ru: { locale: 'ru-RU', month: 'short', own: { dateStyle: 'full', timeStyle: 'long' } },
  en: { locale: 'en-GB', month: 'short', own: { dateStyle: 'full', timeStyle: 'long' } },
} as const
