import { receiptsConfirmHoldContract } from '@tessera/contract/operations/receipts'

import { operation } from './operation.ts'
import { expectAmount, receiptResult } from './render-receipt.ts'

/** Captures a hold, in full or in part. */
export const receiptsConfirmHold = operation(receiptsConfirmHoldContract, {
  check: expectAmount,
  run: ({ id, amount = null }, ctx, { receipts }) => receipts.confirmHold(id, amount, ctx),
  reconcile: ({ subject, isExpired }, { id }, ctx, { receipts }) =>
    receipts.findOutcome({ receiptId: id, requestId: subject, isExpired }, ctx),
  render: receiptResult,
})
