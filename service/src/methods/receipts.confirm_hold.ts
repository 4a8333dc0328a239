import type { Receipts } from '../receipts/receipts.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'
import { receiptIn } from './receipt-in.ts'

/** Takes held money, all of it or a part. */
export function receiptsConfirmHold(receipts: Receipts): Row<'receipts.confirm_hold'>['run'] {
  return async (params, call) => {
    const render = receiptIn(call)
    return render(await receipts.confirm(params.id, params.amount ?? null, askerOf(call, render)))
  }
}
