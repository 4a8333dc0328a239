/** A call of the API whose cost is measured (`npm run bench -- costs`). */
export const pricedCalls = [
  'cards.create',
  'cards.get_verify_code',
  'cards.verify',
  'cards.check',
  'receipts.create',
  'receipts.pay',
] as const

export type PricedCall = (typeof pricedCalls)[number]

/** What a provider expects. */
export interface Demand {
  /** Stored at once. */
  readonly cards: number
  /** In the busiest hour. */
  readonly callsPerSecond: number
  /** Calls of an average hour, as a share of the busiest: 0.3 is a usual day and night. */
  readonly averageLoad: number
  /** Of all calls, the share of each; they add up to 1. */
  readonly mix: Readonly<Record<PricedCall, number>>
  /** How long receipts and the audit are stored, years. */
  readonly years: number
}

/** Of a hundred calls four register a card, with its code and the code's check, and forty pay a receipt, some after a look at the card. */
export const usualMix: Demand['mix'] = Object.freeze({
  'cards.create': 0.04,
  'cards.get_verify_code': 0.04,
  'cards.verify': 0.04,
  'cards.check': 0.08,
  'receipts.create': 0.4,
  'receipts.pay': 0.4,
})
