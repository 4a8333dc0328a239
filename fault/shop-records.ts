import type { ReceiptRecord, FinalReceipt } from './receipt-record.ts'

/** One transaction in the records of a merchant's server (Payme Merchant API). */
export interface ShopTransaction {
  readonly id: string
  readonly amountTiyin: number
  /** 1 created · 2 performed · -1 cancelled before it was performed · -2 cancelled after. */
  state: 1 | 2 | -1 | -2
  /** How often goods were delivered for it. */
  performed: number
}

/** Everything that a merchant's server stored. */
export interface ShopRecords {
  readonly transactions: readonly ShopTransaction[]
  readonly checks: number
  readonly refused: number
  readonly lost: number
}

/**
 * What is wrong between a receipt and its merchant's records, or null. A paid receipt was performed there once, for its amount. For one that is not
 * paid nothing is open there, and delivered goods were taken back. A hold is only checked (docs/decisions/0015-merchant-endpoint.md).
 */
export function judgeShopTransaction(
  receipt: ReceiptRecord,
  { state, amountTiyin }: FinalReceipt,
  entry: ShopTransaction | undefined,
): string | null {
  if (receipt.hold) return entry === undefined ? null : 'is a hold, and its merchant has a transaction for it'
  if (state !== paid) {
    return entry === undefined || entry.state < 0
      ? null
      : `is in state ${state}, and in its merchant's records it is in state ${entry.state}`
  }
  if (entry === undefined) return 'is paid, and its merchant does not know it'
  if (entry.state !== 2 || entry.performed !== 1) {
    return `is paid, and in its merchant's records it is in state ${entry.state}, performed ${entry.performed} times`
  }
  return entry.amountTiyin === amountTiyin ? null : `is paid with ${amountTiyin}, and its merchant was notified of ${entry.amountTiyin}`
}

/** Transactions of receipts that no caller received. A call that was cut off before its reply may have created one: then the service has to know it. */
export function findUnknownTransactions(receipts: readonly ReceiptRecord[], { transactions: entries }: ShopRecords): string[] {
  const known = new Set(receipts.map(({ receiptId }) => receiptId))
  return entries
    .filter(({ id }) => !known.has(id))
    .map(({ id }) => `transaction ${id} is in the merchant's records, and no caller received its receipt`)
}

const paid = 4
