import type { Receipts } from '../receipts/receipts.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'
import { receiptIn } from './receipt-in.ts'

/** Cancels a receipt; money taken or held goes back. */
export function receiptsCancel(receipts: Receipts): Row<'receipts.cancel'>['run'] {
  return async ({ id }, call) => {
    const render = receiptIn(call)
    return render(await receipts.cancel(id, askerOf(call, render)))
  }
}
