import { receiptsCancelContract } from '@tessera/contract/operations/receipts'

import { receiptResult } from '../domain/payments/render.ts'

import { operation } from './operation.ts'

/** Cancels a receipt. A debited or held amount is returned. */
export const receiptsCancel = operation(receiptsCancelContract, {
  run: ({ id }, ctx, { receipts }) => receipts.cancel({ receiptId: id }, ctx),
  render: receiptResult,
})
