import type { Receipts } from '../receipts/receipts.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Sends a receipt to a phone by SMS, in the caller's language. */
export function receiptsSend(receipts: Receipts): Row<'receipts.send'>['run'] {
  return async ({ id, phone }, call) => {
    await receipts.send({ receiptId: id, phone, language: call.language }, askerOf(call, success))
    return success()
  }
}

/** A message that nobody told the end of counts as sent. */
export const settleReceiptsSend: NonNullable<Row<'receipts.send'>['settle']> = async ({ isExpired }) => (isExpired ? success() : null)

function success() {
  return { success: true }
}
