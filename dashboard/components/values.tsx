import { language, messages } from '../app/language.ts'
import { serviceNow } from '../app/session-state.ts'
import { formatSom } from '../format/numbers.ts'
import { formatLocalTime, formatShortTime, formatTime } from '../format/time.ts'

/** How good a state is, as a color. The text of the tag says it too. */
export type Tone = 'green' | 'amber' | 'red' | 'blue' | 'grey'

export function Tag({ tone, sign, children }: { tone: Tone; sign?: string; children: string }) {
  return (
    <span class={`tag ${tone}`} data-sign={sign}>
      {children}
    </span>
  )
}

/** An amount in so'm; `isPlain`: without the unit, where a heading names it. */
export function Money({ tiyin, isPlain = false }: { tiyin: number; isPlain?: boolean }) {
  return (
    <span class="money">
      {formatSom(tiyin, language.value)}
      {!isPlain && <small> {messages.value.som}</small>}
    </span>
  )
}

/** A text of the merchant in a cell of a table: on one line where it is short, and no wider than there is room where it is long. */
export function ShortText({ text }: { text: string }) {
  return <span class={text.length > wholeMax ? 'long' : 'whole'}>{text}</span>
}

const wholeMax = 20

/** A timestamp (Unix ms) in Tashkent time, with the viewer's local time to the second as its tooltip; `isShort`: for a row of a list, to the minute or second. */
export function Time({ at, isShort = false, hasSeconds = false }: { at: number; isShort?: boolean; hasSeconds?: boolean }) {
  const text = isShort ? formatShortTime(at, serviceNow(), language.value, hasSeconds) : formatTime(at, language.value)
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={formatLocalTime(at, language.value)}
      class={text.length > minuteMax ? undefined : 'whole'}
    >
      {text}
    </time>
  )
}

/** Day and minute of this year, which stay on one line on a phone. */
const minuteMax = '28 Nov, 18:39'.length
