import { receiptsConfirmHoldContract } from '@tessera/contract/operations/receipts'

import { operation } from './operation.ts'
import { expectAmount, receiptResult } from './render-receipt.ts'

/** Captures held money, all of it or a part. */
export const receiptsConfirmHold = operation(receiptsConfirmHoldContract, {
  check: expectAmount,
  run: ({ id, amount = null }, ctx, { receipts }) => receipts.confirm(id, amount, ctx),
  reconcile: ({ subject, isExpired }, { id }, ctx, { receipts }) =>
    receipts.findOutcome({ receiptId: id, requestId: subject, isExpired }, ctx),
  render: receiptResult,
})
