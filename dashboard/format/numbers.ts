import type { Language } from '@tessera/contract/profile'

/** A count with digits in groups of three: `12 345`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f')
}

/** A large number with few digits, for an axis: `1.5M`. `units` are those of a thousand, a million and a billion. */
export function formatShort(value: number, units: readonly string[], language: Language): string {
  if (Math.abs(value) < 10_000) return String(value)
  const power = Math.min(units.length, Math.floor(Math.log10(Math.abs(value)) / 3))
  const digits = String(Number((value / 1000 ** power).toFixed(1))).replace('.', decimalMark(language))
  return `${digits}${units[power - 1] ?? ''}`
}

/**
 * Tiyin as so'm with digits in groups of three: 123456 is `1 234.56` in English, `1 234,56` in Russian and Uzbek, and whole so'm have no fraction. Integer
 * arithmetic only, so nothing is rounded.
 */
export function formatSom(tiyin: number, language: Language): string {
  const som = formatCount(Math.floor(Math.abs(tiyin) / 100))
  return `${tiyin < 0 ? '−' : ''}${som}${fractionOf(Math.abs(tiyin), decimalMark(language))}`
}

/**
 * Tiyin as the value of an input, in plain digits and with the decimal mark of the language; in an address, which has none, with a point. `parseSomInput`
 * reads each of them, and the groups of `formatSom`.
 */
export function formatSomInput(tiyin: number, language: Language = 'en'): string {
  return `${String(Math.floor(tiyin / 100))}${fractionOf(tiyin, decimalMark(language))}`
}

/** Tiyin as a decimal number of so'm with two digits, for a file: `1234.50`. */
export function formatSomDecimal(tiyin: number): string {
  return `${tiyin < 0 ? '-' : ''}${String(Math.floor(Math.abs(tiyin) / 100))}.${String(Math.abs(tiyin) % 100).padStart(2, '0')}`
}

/** A typed amount of so'm in tiyin, read digit by digit and never as a floating-point fraction. Null if it is not an amount. */
export function parseSomInput(text: string): number | null {
  const [, whole, fraction = ''] = /^(\d{1,13})(?:[.,](\d{1,2}))?$/.exec(text.replace(/\s/g, '')) ?? []
  return whole === undefined ? null : Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
}

function decimalMark(language: Language): string {
  return language === 'en' ? '.' : ','
}

function fractionOf(tiyin: number, mark: string): string {
  const fraction = tiyin % 100
  return fraction === 0 ? '' : `${mark}${String(fraction).padStart(2, '0')}`
}

/** A share as a whole number of percent. `whole` must not be zero. */
export function percentOf(part: number, whole: number): number {
  return Math.round((100 * part) / whole)
}

/** A number of milliseconds with its unit: `12 ms`. */
export function formatMs(ms: number, unit: string): string {
  return `${String(Math.round(ms))} ${unit}`
}

export interface DurationUnits {
  readonly days: string
  readonly hours: string
  readonly minutes: string
  readonly seconds: string
}

/** A duration in its two largest non-zero units: `8 d`, `1 d 1 h`, `3 min 1 s`. */
export function formatDuration(ms: number, units: DurationUnits): string {
  const seconds = Math.round(ms / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), units.days],
    [Math.floor(seconds / 3600) % 24, units.hours],
    [Math.floor(seconds / 60) % 60, units.minutes],
    [seconds % 60, units.seconds],
  ] as const
  const largest = parts.filter(([count]) => count > 0).slice(0, 2)
  return largest.length === 0 ? `0 ${units.seconds}` : largest.map(([count, unit]) => `${String(count)} ${unit}`).join(' ')
}

/** The digits of a phone as people write it: `+998 90 123 45 67`; of another country, as they are. */
export function formatPhoneNumber(digits: string): string {
  return `+${digits.replace(/^(998)(\d\d)(\d{3})(\d\d)(\d\d)$/, '$1 $2 $3 $4 $5')}`
}

/** A card number in groups of four digits, as printed on a card. */
export function groupCardNumber(number: string): string {
  return number.replace(/(\d{4})(?=\d)/g, '$1 ')
}
