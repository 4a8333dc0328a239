import { notDigits, readDigits, type Typed } from './digits.ts'

/** Reads what people and autofill write: `03/99`, `3/99`, `03/2099`, `0399`, `032099`, `2099-03`. MMYY as on the wire, or null. */
export function readExpiryText(text: string): string | null {
  const parts = text
    .split(notDigits)
    .map(readDigits)
    .filter((part) => part !== '')
  const [first = '', second = ''] = parts.length === 1 ? splitRun(parts[0] ?? '') : parts
  const [month, year] = first.length === 4 ? [second, first] : [first, second]
  if (parts.length > 2 || !/^[0-9]{1,2}$/.test(month) || !/^(20)?[0-9]{2}$/.test(year)) return null
  const whole = month.padStart(2, '0')
  return whole >= '01' && whole <= '12' ? whole + year.slice(-2) : null
}

/** Good through the last day of its month, in UTC+5 where the service's cards live. */
export function isPast(expiry: string, nowMs: number): boolean {
  return Date.UTC(2000 + Number(expiry.slice(2)), Number(expiry.slice(0, 2)), 1) - utcPlus5Ms <= nowMs
}

/** Writes the stroke for whoever types at the end; what comes whole, pasted or filled in, is read as it is. */
export function groupExpiry({ text, caret }: Typed, isDeleting: boolean): Typed {
  if (caret !== text.length || isDeleting) return { text, caret }
  const digits = readDigits(text)
  if (digits.length >= 4 && !/^[0-9]{2}\/[0-9]{1,4}$/.test(text)) return asTyped(writeExpiry(text) ?? text)
  if (/^[2-9]$/.test(digits) || (digits.length === 1 && /[./ -]$/.test(text))) return asTyped(`0${digits}/`)
  return asTyped(digits.length < 2 ? digits : `${digits.slice(0, 2)}/${digits.slice(2, 6)}`)
}

/** What is read of a text, as it is shown: `MM/YY`; null when it is no expiry. */
export function writeExpiry(text: string): string | null {
  const expiry = readExpiryText(text)
  return expiry === null ? null : `${expiry.slice(0, 2)}/${expiry.slice(2)}`
}

function splitRun(digits: string): [string, string] {
  return digits.length === 6 && /^20/.test(digits) && Number(digits.slice(4)) <= 12 && Number(digits.slice(0, 2)) > 12
    ? [digits.slice(4), digits.slice(0, 4)]
    : digits.length === 3
      ? [digits.slice(0, 1), digits.slice(1)]
      : [digits.slice(0, 2), digits.slice(2)]
}

function asTyped(text: string): Typed {
  return { text, caret: text.length }
}

const utcPlus5Ms = 5 * 60 * 60 * 1000
