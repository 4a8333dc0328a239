/** Money as the service knows it: whole tiyin (1 so'm = 100 tiyin), currency 860 (UZS, ISO 4217). Never a fraction, never a float on the way. */
export type AmountTiyin = number & { readonly __brand: 'AmountTiyin' }

/** ISO 4217 number of the Uzbek so'm. */
export const currencyUzs = 860

/** The largest amount of one receipt: what integers of JSON carry exactly, with room for sums. 10^13 tiyin are 100 thousand million so'm. */
export const amountTiyinMax = 10_000_000_000_000

/** Reads an amount: a positive whole number of tiyin; `100000.0` is the same number as `100000`. Null: not an amount. */
export function readAmount(value: number): AmountTiyin | null {
  return Number.isSafeInteger(value) && value > 0 && value <= amountTiyinMax ? (value as AmountTiyin) : null
}
