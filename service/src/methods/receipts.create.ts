import type { Receipts } from '../receipts/receipts.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'
import { receiptIn } from './receipt-in.ts'

/** Creates a receipt: a request to pay. */
export function receiptsCreate(receipts: Receipts): Row<'receipts.create'>['run'] {
  return async (params, call) => {
    const asked = {
      sum: params.amount,
      account: params.account ?? {},
      description: params.description ?? '',
      detail: params.detail ?? null,
      hold: params.hold ?? false,
      language: call.language,
    }
    const render = receiptIn(call)
    return render(await receipts.create(asked, askerOf(call, render)))
  }
}
