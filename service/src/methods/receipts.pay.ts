import type { Receipts } from '../receipts/receipts.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'
import { receiptIn } from './receipt-in.ts'

/** Pays a receipt with a verified token: debits the card, or holds the money. */
export function receiptsPay(receipts: Receipts): Row<'receipts.pay'>['run'] {
  return async ({ id, token, payer, hold }, call) => {
    const asked = { receiptId: id, token, payer: payer ?? null, hold: hold ?? null }
    const render = receiptIn(call)
    return render(await receipts.pay(asked, askerOf(call, render)))
  }
}

/** What became of a payment or a capture that nobody answered: the receipt tells, and what was asked of the network for it. */
export function settleReceipt(receipts: Receipts): NonNullable<Row<'receipts.pay' | 'receipts.confirm_hold'>['settle']> {
  return async ({ subject, isExpired }, { id }, call) => {
    const told = await receipts.cameTo({ receiptId: id, requestId: subject, isExpired }, askerOf(call))
    return told === null ? null : receiptIn(call)(told)
  }
}
