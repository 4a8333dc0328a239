import type { Receipts } from '../receipts/receipts.ts'
import { renderReceipt } from '../receipts/render.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Gives a receipt whole. */
export function receiptsGet(receipts: Receipts): Row<'receipts.get'>['run'] {
  return async ({ id }, call) => ({ receipt: renderReceipt(await receipts.find(id, askerOf(call)), call.profile) })
}
