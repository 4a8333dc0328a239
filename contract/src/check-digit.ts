const ZERO = 0x30

/**
 * Whether the ASCII digits `[from, to)` end in a valid check digit (ISO/IEC 7812-1 Annex B: Luhn, modulus 10). A module of its own, so that the form's
 * bundle has it without `Pan`.
 */
export function hasValidCheckDigit(digits: Uint8Array, from = 0, to = digits.length): boolean {
  let sum = 0
  for (let i = to - 1, even = false; i >= from; i--, even = !even) {
    const digit = (digits[i] ?? 0) - ZERO
    sum += even ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit
  }
  return sum % 10 === 0
}
