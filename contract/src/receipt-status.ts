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

/** Why a user refunds a payment, voids a hold or cancels a receipt. Stored in the audit. */
export const refundReasons = ['requested_by_customer', 'duplicate', 'not_delivered', 'wrong_amount', 'fraud', 'other'] as const

export type RefundReason = (typeof refundReasons)[number]
