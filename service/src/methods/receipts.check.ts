import type { Receipts } from '../receipts/receipts.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Tells the state of a receipt. */
export function receiptsCheck(receipts: Receipts): Row<'receipts.check'>['run'] {
  return async ({ id }, call) => ({ state: await receipts.state(id, askerOf(call)) })
}
