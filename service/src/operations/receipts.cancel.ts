import { receiptsCancelContract } from '@tessera/contract/operations/receipts'

import { operation } from './operation.ts'
import { receiptResult } from './render-receipt.ts'

/** Cancels a receipt. Money that was taken or held goes back. */
export const receiptsCancel = operation(receiptsCancelContract, {
  run: ({ id }, ctx, { receipts }) => receipts.cancel(id, ctx),
  render: receiptResult,
})
