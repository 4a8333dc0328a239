import type { Receipts } from '../receipts/receipts.ts'
import { renderReceipt } from '../receipts/render.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Takes held money, all of it or a part. */
export function receiptsConfirmHold(receipts: Receipts): Row<'receipts.confirm_hold'>['run'] {
  return async (params, call) => {
    const told = await receipts.confirm(params.id, params.amount ?? null, askerOf(call))
    return { receipt: renderReceipt(told, call.profile) }
  }
}
