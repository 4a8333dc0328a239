import type { Receipts } from '../receipts/receipts.ts'
import { renderReceipt } from '../receipts/render.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Pays a receipt with a verified token: debits the card, or holds the money. */
export function receiptsPay(receipts: Receipts): Row<'receipts.pay'>['run'] {
  return async ({ id, token, payer, hold }, call) => {
    const asked = { receiptId: id, token, payer: payer ?? null, hold: hold ?? null }
    return { receipt: renderReceipt(await receipts.pay(asked, askerOf(call)), call.profile) }
  }
}
