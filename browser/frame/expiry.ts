import { nonDigits, readDigits, type FieldText } from './digits.ts'

const utcPlus5Ms = 5 * 60 * 60 * 1000

/** Parses what people and autofill write: `03/99`, `3/99`, `03/2099`, `0399`, `032099`, `2099-03`. Returns MMYY as on the wire, or null. */
export function parseExpiryText(text: string): string | null {
  const parts = text
    .split(nonDigits)
    .map(readDigits)
    .filter((part) => part !== '')
  const [first = '', second = ''] = parts.length === 1 ? splitDigits(parts[0] ?? '') : parts
  const [month, year] = first.length === 4 ? [second, first] : [first, second]
  if (parts.length > 2 || !/^\d{1,2}$/.test(month) || !/^(20)?\d{2}$/.test(year)) return null
  const paddedMonth = month.padStart(2, '0')
  return paddedMonth >= '01' && paddedMonth <= '12' ? paddedMonth + year.slice(-2) : null
}

/** Whether the card has expired. It is valid through the last day of its month, in UTC+5, the time zone of the service's cards. */
export function isExpiryPast(expiry: string, nowMs: number): boolean {
  return Date.UTC(2000 + Number(expiry.slice(2)), Number(expiry.slice(0, 2)), 1) - utcPlus5Ms <= nowMs
}

/** Inserts the slash while somebody types at the end of the field. A text that is pasted or filled in is left as it is. */
export function formatExpiryInput({ text, caret }: FieldText, isDeleting: boolean): FieldText {
  if (caret !== text.length || isDeleting) return { text, caret }
  const digits = readDigits(text)
  if (digits.length >= 4 && !/^\d{2}\/\d{1,4}$/.test(text)) return withCaretAtEnd(formatExpiry(text) ?? text)
  if (/^[2-9]$/.test(digits) || (digits.length === 1 && /[./ -]$/.test(text))) return withCaretAtEnd(`0${digits}/`)
  return withCaretAtEnd(digits.length < 2 ? digits : `${digits.slice(0, 2)}/${digits.slice(2, 6)}`)
}

/** Formats an expiry as `MM/YY`; null when the text is not an expiry. */
export function formatExpiry(text: string): string | null {
  const expiry = parseExpiryText(text)
  return expiry === null ? null : `${expiry.slice(0, 2)}/${expiry.slice(2)}`
}

function splitDigits(digits: string): [string, string] {
  const isYearFirst = digits.length === 6 && /^20/.test(digits) && Number(digits.slice(4)) <= 12 && Number(digits.slice(0, 2)) > 12
  if (isYearFirst) return [digits.slice(4), digits.slice(0, 4)]
  const monthLength = digits.length === 3 ? 1 : 2
  return [digits.slice(0, monthLength), digits.slice(monthLength)]
}

function withCaretAtEnd(text: string): FieldText {
  return { text, caret: text.length }
}
