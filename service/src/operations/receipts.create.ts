import { receiptsCreateContract } from '@tessera/contract/operations/receipts'

import { operation } from './operation.ts'
import { expectAmount, receiptResult } from './render-receipt.ts'

/** Creates a receipt: a request to pay. */
export const receiptsCreate = operation(receiptsCreateContract, {
  check: expectAmount,
  run: ({ amount, account, description, detail, hold }, ctx, { receipts }) =>
    receipts.create(
      {
        amountTiyin: amount,
        account: account ?? {},
        description: description ?? '',
        detail: detail ?? null,
        hold: hold ?? false,
        language: ctx.language,
      },
      ctx,
    ),
  render: receiptResult,
})
