import * as real from '../../service/src/receipts/figures.ts'

/** The figures of a receipt, with a lease that a run of many kills can wait for; still longer than the network may take in it. */
export const receiptFigures: real.ReceiptFigures = Object.freeze({
  ...real.receiptFigures,
  leaseMs: 2000,
  backoffFirstMs: 200,
  backoffMostMs: 2000,
})

export type { ReceiptFigures } from '../../service/src/receipts/figures.ts'
