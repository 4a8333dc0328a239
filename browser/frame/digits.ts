/** Text of a field with the place of its caret. */
export interface Typed {
  readonly text: string
  readonly caret: number
}

/** What stands between digits, whatever they are written with: Latin, Arabic-Indic, Persian, full width. */
export const notDigits = /[^0-9\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]+/g

/** The digits of a text in ASCII. The low four bits of each are its value. */
export function readDigits(text: string): string {
  return text.replace(notDigits, '').replace(/[^0-9]/g, (sign) => String(sign.charCodeAt(0) & 0xf))
}

/** Groups of four, with the caret behind the same digit. */
export function groupNumber({ text, caret }: Typed): Typed {
  const digits = readDigits(text).slice(0, panLengthMax)
  const before = Math.min(readDigits(text.slice(0, caret)).length, digits.length)
  const grouped = digits.replace(/(.{4})(?=.)/g, '$1 ')
  return { text: grouped, caret: before + Math.max(0, Math.floor((before - 1) / 4)) }
}

/** The check digit of ISO/IEC 7812-1 Annex B (Luhn) and a length that cards have. */
export function isPan(digits: string): boolean {
  if (digits.length < panLengthMin || digits.length > panLengthMax) return false
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}

export type Brand = 'uzcard' | 'humo' | 'mir' | 'visa' | 'mastercard' | 'unionpay'

/** The mark to show beside a number; null for what only the service can tell. */
export function brandOf(digits: string): Brand | null {
  return brands.find(([, prefix]) => prefix.test(digits))?.[0] ?? null
}

const brands: readonly (readonly [Brand, RegExp])[] = [
  ['uzcard', /^(8600|5614)/],
  ['humo', /^9860/],
  ['mir', /^220[0-4]/],
  ['unionpay', /^62/],
  ['visa', /^4/],
  ['mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
]
/** The shortest number that the service takes. */
export const panLengthMin = 12
const panLengthMax = 19
