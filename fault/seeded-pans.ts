import type { Random } from './random.ts'

/** A random card number with a prefix and a valid check digit (ISO/IEC 7812-1 Annex B). */
export function drawSeededPan(random: Random, prefix = '860014'): string {
  let digits = prefix
  while (digits.length < 15) digits += String(random.between(0, 9))
  return digits + checkDigitOf(digits)
}

/** Distinct card numbers. */
export function drawPans(random: Random, count: number, prefix?: string): string[] {
  const drawn = new Set<string>()
  while (drawn.size < count) drawn.add(drawSeededPan(random, prefix))
  return [...drawn]
}

function checkDigitOf(digits: string): string {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const value = Number(digits[digits.length - 1 - at])
    sum += at % 2 === 1 ? value : value > 4 ? value * 2 - 9 : value * 2
  }
  return String((10 - (sum % 10)) % 10)
}
