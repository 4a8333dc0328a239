/** The states of a receipt (docs/reference/wire.md#receipts), by name; the numbers are the wire's. */
export const receiptStates = {
  created: 0,
  checking: 1,
  debiting: 2,
  awaitingMerchant: 3,
  paid: 4,
  held: 5,
  holding: 6,
  unknown: 20,
  returning: 21,
  cancelled: 50,
} as const

export type ReceiptState = (typeof receiptStates)[keyof typeof receiptStates]

/** Money as the service knows it: whole tiyin (1 so'm = 100 tiyin), currency 860 (UZS, ISO 4217). Never a fraction or a floating-point number. */
export type AmountTiyin = number & { readonly __brand: 'AmountTiyin' }

/** ISO 4217 number of the Uzbek so'm. */
export const currencyUzs = 860

/** The largest amount of one receipt: what integers of JSON carry exactly, with room for sums. 10^13 tiyin are 100 billion so'm. */
export const maxAmountTiyin = 10_000_000_000_000

/** Reads an amount: a positive whole number of tiyin; `100000.0` is the same number as `100000`. Null: not an amount. */
export function readAmount(value: number): AmountTiyin | null {
  return Number.isSafeInteger(value) && value > 0 && value <= maxAmountTiyin ? (value as AmountTiyin) : null
}

/**
 * The content of an account field: `reference` is an order number or another number of the merchant's own, which counts as a card number only by prefixes
 * of at least four digits (docs/reference/wire.md#card-numbers-in-requests); `text` is anything else.
 */
export type AccountFieldKind = 'text' | 'reference'

export const accountFieldKinds: readonly AccountFieldKind[] = ['text', 'reference']

/** The names that a merchant's settings accept. */
export const accountFieldNamePattern = '^[A-Za-z_][A-Za-z0-9_]{0,63}$'

/** The names that a request may send where no fields are configured: up to 64 characters, none of them a control character or a line break. */
export const givenAccountFieldPattern = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{0,64}$'

/** `500000` tiyin → `5000.00`. Integer arithmetic: a float would round. */
export function formatSum(amountTiyin: number): string {
  return `${Math.floor(amountTiyin / tiyinPerSum)}.${String(amountTiyin % tiyinPerSum).padStart(2, '0')}`
}

const tiyinPerSum = 100
