import type { Receipts } from '../receipts/receipts.ts'
import { renderReceipt } from '../receipts/render.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Lists receipts of a span of days, newest first: a bare array. */
export function receiptsGetAll(receipts: Receipts): Row<'receipts.get_all'>['run'] {
  return async ({ count, from, to, offset }, call) => {
    const told = await receipts.list({ count, from, to, offset: offset ?? 0 }, askerOf(call))
    return told.map((receipt) => renderReceipt(receipt, call.profile))
  }
}
