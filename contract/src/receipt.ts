/** The states of a receipt (wire §5), by name; the numbers are the wire's. */
export const receiptStates = {
  created: 0,
  checking: 1,
  debiting: 2,
  closing: 3,
  paid: 4,
  held: 5,
  holding: 6,
  unknown: 20,
  returning: 21,
  cancelled: 50,
} as const

export type ReceiptState = (typeof receiptStates)[keyof typeof receiptStates]
