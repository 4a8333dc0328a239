import { receiptsGetContract } from '@tessera/contract/operations/receipts'

import { receiptResult } from '../domain/payments/render.ts'

import { operation } from './operation.ts'

/** Returns a whole receipt. */
export const receiptsGet = operation(receiptsGetContract, {
  run: async ({ id }, ctx, { receipts }) => receiptResult(await receipts.find(id, ctx), {}, ctx),
})
