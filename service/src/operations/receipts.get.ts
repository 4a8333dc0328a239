import { receiptsGetContract } from '@tessera/contract/operations/receipts'

import { operation } from './operation.ts'
import { receiptResult } from './render-receipt.ts'

/** Returns a whole receipt. */
export const receiptsGet = operation(receiptsGetContract, {
  run: async ({ id }, ctx, { receipts }) => receiptResult(await receipts.find(id, ctx), {}, ctx),
})
