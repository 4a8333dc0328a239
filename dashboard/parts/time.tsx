import { language } from '../app/language.ts'

/** A moment (unix ms) as Tashkent's clocks show it, which is UTC+5; the viewer's own and the whole of it on pointing. */
export function Time({ at }: { at: number }) {
  const moment = new Date(at)
  const own = moment.toLocaleString(locale(), { dateStyle: 'full', timeStyle: 'long' })
  return (
    <time dateTime={moment.toISOString()} title={own}>
      {moment.toLocaleString(locale(), { ...format, timeZone: 'Asia/Tashkent' })}
    </time>
  )
}

const format = { year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const

function locale(): string {
  return { uz: 'uz-Latn-UZ', ru: 'ru-RU', en: 'en-GB' }[language.value]
}
