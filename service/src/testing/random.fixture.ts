import { randomBytes, randomInt } from 'node:crypto'

/** A random number of `prefix` with a valid check digit. */
export function drawPan(prefix: string, length = 16): string {
  const free = Array.from({ length: length - prefix.length - 1 }, () => String(randomInt(10))).join('')
  const digits = Array.from(`${prefix}${free}`, Number).reverse()
  const sum = digits.reduce((total, digit, i) => total + (i % 2 === 0 ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit), 0)
  return `${prefix}${free}${(10 - (sum % 10)) % 10}`
}

export function randomHex(digits: number): string {
  return randomBytes(digits / 2).toString('hex')
}
