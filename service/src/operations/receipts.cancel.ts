import { receiptsCancelContract } from '@tessera/contract/operations/receipts'

import { operation } from './operation.ts'
import { receiptResult } from './render-receipt.ts'

/** Cancels a receipt. A debited or held amount is returned. */
export const receiptsCancel = operation(receiptsCancelContract, {
  run: ({ id }, ctx, { receipts }) => receipts.cancel(id, ctx),
  render: receiptResult,
})
