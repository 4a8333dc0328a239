import { receiptsCreateContract } from '@tessera/contract/operations/receipts'

import { assertAmount } from '../domain/payments/create.ts'
import { receiptResult } from '../domain/payments/render.ts'

import { operation } from './operation.ts'

/** Creates a receipt: a request to pay. */
export const receiptsCreate = operation(receiptsCreateContract, {
  check: assertAmount,
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
