/** What a shop's traffic came to, counted from the replies that its server got. */
export interface ShopTotals {
  cardsCreated: number
  cardsVerified: number
  cardsRemoved: number
  /** Codes that were not sent. */
  codesFailed: number
  receipts: number
  /** Payments that the network approved: debits, and captures of holds. */
  paid: number
  paidTiyin: number
  /** Payments that were declined; a customer may have tried again. */
  declined: number
  held: number
  captured: number
  refunded: number
  refundedTiyin: number
}

export function zeroTotals(): ShopTotals {
  return {
    cardsCreated: 0,
    cardsVerified: 0,
    cardsRemoved: 0,
    codesFailed: 0,
    receipts: 0,
    paid: 0,
    paidTiyin: 0,
    declined: 0,
    held: 0,
    captured: 0,
    refunded: 0,
    refundedTiyin: 0,
  }
}
