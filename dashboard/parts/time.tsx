import { language } from '../app/language.ts'

/** A moment (unix ms) as Tashkent's clocks show it, which is UTC+5; the viewer's own and the whole of it on pointing. */
export function Time({ at }: { at: number }) {
  const moment = new Date(at)
  const { locale, format, own } = styles[language.value]
  return (
    <time dateTime={moment.toISOString()} title={moment.toLocaleString(locale, own)}>
      {moment.toLocaleString(locale, { ...format, timeZone: 'Asia/Tashkent' })}
    </time>
  )
}

/** The moment (unix ms) at which Tashkent's clocks show a date and a time, as a field gives them: `2026-11-21T23:50`. NaN for what is none. */
export function readTime(shown: string): number {
  return Date.parse(`${shown}+05:00`)
}

const day = { year: 'numeric', month: 'short', day: '2-digit' } as const
const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const

/** How moments are written. Browsers know no Uzbek months (Chromium writes "M11"), so Uzbek dates are in digits, as they are written there. */
const styles = {
  uz: {
    locale: 'ru-RU',
    format: { ...day, month: '2-digit', ...clock },
    own: { ...day, month: '2-digit', ...clock, timeZoneName: 'short' },
  },
  ru: { locale: 'ru-RU', format: { ...day, ...clock }, own: { dateStyle: 'full', timeStyle: 'long' } },
  en: { locale: 'en-GB', format: { ...day, ...clock }, own: { dateStyle: 'full', timeStyle: 'long' } },
} as const
