/**
 * What a person wants to know of a receipt, in the words of the trade. The states of the wire (`receiptStates`) say where a receipt is in its life; a status
 * also says why: an unpaid receipt whose payment was declined has failed, a cancelled one was refunded, voided, expired or cancelled.
 */
export const receiptStatuses = [
  'open',
  'processing',
  'paid',
  'failed',
  'authorized',
  'captured',
  'refunding',
  'refunded',
  'voided',
  'expired',
  'cancelled',
  'pending_confirmation',
  'needs_review',
] as const

export type ReceiptStatus = (typeof receiptStatuses)[number]
