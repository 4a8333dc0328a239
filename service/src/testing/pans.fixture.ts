import { hasValidCheckDigit } from '@tessera/contract/check-digit'

/** The first card of the test environment: public. */
export const testPan = '8600069195406311'

/** A random 16-digit number of a prefix with a valid check digit, the same for the same seed. */
export function makePan(prefix: string, seed: number): string {
  const head = (prefix + String(seed * 7_919).padStart(15 - prefix.length, '0')).slice(0, 15)
  for (let digit = 0; digit < 10; digit++) if (hasValidCheckDigit(Buffer.from(`${head}${digit}`))) return `${head}${digit}`
  throw new Error('one of ten check digits is right')
}

/** `8600…` → `8600 …`, with the separator between groups of four. */
export function grouped(pan: string, separator: string): string {
  return (pan.match(/.{4}/g) ?? []).join(separator)
}
