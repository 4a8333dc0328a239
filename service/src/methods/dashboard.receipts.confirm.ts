import type { Receipts } from '../receipts/receipts.ts'

import { askerOf } from './asker.ts'
import type { Row } from './method.ts'

/** Takes held money, all of it or a part. */
export function dashboardReceiptsConfirm(receipts: Receipts): Row<'dashboard.receipts.confirm'>['run'] {
  return async ({ receiptId, amountTiyin = null }, call) => {
    await receipts.confirm(receiptId, amountTiyin, askerOf(call))
    return { success: true }
  }
}
