import { receiptsCheckContract } from '@tessera/contract/operations/receipts'

import { operation } from './operation.ts'

/** Returns the state of a receipt. */
export const receiptsCheck = operation(receiptsCheckContract, {
  run: async ({ id }, ctx, { receipts }) => ({ state: await receipts.state(id, ctx) }),
})
