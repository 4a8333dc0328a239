import type { ReceiptLists } from '../dashboard/receipts.ts'

import { readPlace, writePlace } from './keyset.ts'
import type { Row } from './method.ts'
import { showReceipt } from './receipt-shown.ts'

/** Lists the merchant's receipts, newest first. */
export function dashboardReceiptsList(lists: ReceiptLists): Row<'dashboard.receipts.list'>['run'] {
  return async ({ after, count = 25, from = 0, to = Number.MAX_SAFE_INTEGER, state = null }, { caller }) => {
    const { receipts, next } = await lists.list(caller, { from, to, state, after: readPlace(after), count })
    return { receipts: receipts.map(showReceipt), next: writePlace(next) }
  }
}
