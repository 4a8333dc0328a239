import { hasValidCheckDigit } from '@tessera/contract/check-digit'

/** The shortest number that the service accepts. */
export const minPanLength = 12
const maxPanLength = 19

/** The text of a field with the position of its caret. */
export interface FieldText {
  readonly text: string
  readonly caret: number
}

/** Everything between digits. Digits may be Latin, Arabic-Indic, Persian or full-width. */
export const nonDigits = /[^0-9\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]+/g

/** The digits of a text in ASCII. The low four bits of each character are the digit's value. */
export function readDigits(text: string): string {
  return text.replace(nonDigits, '').replace(/[^0-9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
}

/** Formats a card number in groups of four. The caret stays behind the same digit. */
export function formatNumber({ text, caret }: FieldText): FieldText {
  const digits = readDigits(text).slice(0, maxPanLength)
  const digitsBeforeCaret = Math.min(readDigits(text.slice(0, caret)).length, digits.length)
  const grouped = digits.replace(/(.{4})(?=.)/g, '$1 ')
  return { text: grouped, caret: digitsBeforeCaret + Math.max(0, Math.floor((digitsBeforeCaret - 1) / 4)) }
}

/** Whether the digits have a valid length and check digit (ISO/IEC 7812-1 Annex B, Luhn). */
export function isPan(digits: string): boolean {
  if (digits.length < minPanLength || digits.length > maxPanLength) return false
  return hasValidCheckDigit(new TextEncoder().encode(digits))
}
