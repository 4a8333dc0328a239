import type { Receipts } from '../receipts/receipts.ts'
import { renderReceipt } from '../receipts/render.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Cancels a receipt; money taken or held goes back. */
export function receiptsCancel(receipts: Receipts): Row<'receipts.cancel'>['run'] {
  return async ({ id }, call) => ({ receipt: renderReceipt(await receipts.cancel(id, askerOf(call)), call.profile) })
}
