import { receiptsConfirmHoldContract } from '@tessera/contract/operations/receipts'

import { assertAmount } from '../domain/payments/create.ts'
import { receiptResult } from '../domain/payments/render.ts'

import { operation } from './operation.ts'

/** Captures a hold, in full or in part. */
export const receiptsConfirmHold = operation(receiptsConfirmHoldContract, {
  check: assertAmount,
  run: ({ id, amount = null }, ctx, { receipts }) => receipts.confirmHold(id, amount, ctx),
  reconcile: ({ subject, isExpired }, { id }, ctx, { receipts }) =>
    receipts.findOutcome({ receiptId: id, requestId: subject, isExpired }, ctx),
  render: receiptResult,
})
