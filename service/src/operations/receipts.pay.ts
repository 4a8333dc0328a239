import { receiptsPayContract } from '@tessera/contract/operations/receipts'

import { receiptResult } from '../domain/payments/render.ts'

import { expectTokenShape, operation } from './operation.ts'

/** Pays a receipt with a verified token: debits the card, or holds the money. */
export const receiptsPay = operation(receiptsPayContract, {
  check: expectTokenShape,
  run: ({ id, token, payer = null, hold = null }, ctx, { receipts }) => receipts.pay({ receiptId: id, token, payer, hold }, ctx),
  reconcile: ({ subject, isExpired }, { id }, ctx, { receipts }) =>
    receipts.findOutcome({ receiptId: id, requestId: subject, isExpired }, ctx),
  render: receiptResult,
})
