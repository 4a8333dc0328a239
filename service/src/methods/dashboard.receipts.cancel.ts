import type { Receipts } from '../receipts/receipts.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Cancels a receipt; money taken or held goes back. */
export function dashboardReceiptsCancel(receipts: Receipts): Row<'dashboard.receipts.cancel'>['run'] {
  return async ({ receiptId }, call) => {
    await receipts.cancel(receiptId, askerOf(call))
    return { success: true }
  }
}
