import type { Bill, ToldReceipt } from './bill.ts'

/** One transaction in the book of a merchant's own server (Payme Merchant API). */
export interface ShopEntry {
  readonly id: string
  readonly amountTiyin: number
  /** 1 made · 2 performed · -1 cancelled before · -2 cancelled after it was performed. */
  state: 1 | 2 | -1 | -2
  /** How often goods left the house for it. */
  performed: number
}

/** All that a merchant's server remembers. */
export interface ShopBook {
  readonly entries: readonly ShopEntry[]
  readonly checks: number
  readonly refused: number
  readonly lost: number
}

/**
 * What is wrong between a receipt and its merchant's book, or null. Paid: performed there once, for the sum. Not paid: nothing stands open there, and
 * goods that left were taken back. A hold is checked and not told (docs/decisions/0015-merchant-endpoint.md).
 */
export function judgeEntry(bill: Bill, { state, amountTiyin }: ToldReceipt, entry: ShopEntry | undefined): string | null {
  if (bill.hold) return entry === undefined ? null : 'is a hold, and its merchant was told of it'
  if (state !== paid) {
    return entry === undefined || entry.state < 0 ? null : `is in state ${state}, and in its merchant's book it is in state ${entry.state}`
  }
  if (entry === undefined) return 'is paid, and its merchant does not know it'
  if (entry.state !== 2 || entry.performed !== 1) {
    return `is paid, and in its merchant's book it is in state ${entry.state}, performed ${entry.performed} times`
  }
  return entry.amountTiyin === amountTiyin ? null : `is paid with ${amountTiyin}, and its merchant was told ${entry.amountTiyin}`
}

/** Entries of receipts that nobody was told of. A call that fell before its answer may have made one: then the service has to know it. */
export function findStrangers(bills: readonly Bill[], { entries }: ShopBook): string[] {
  const known = new Set(bills.map(({ receiptId }) => receiptId))
  return entries
    .filter(({ id }) => !known.has(id))
    .map(({ id }) => `transaction ${id} is in the merchant's book, and nobody has its receipt`)
}

const paid = 4
