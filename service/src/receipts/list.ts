import type { Asker } from '../cards/asker.ts'
import type { ReceiptRow } from '../store/store.ts'

import { expectTrueReceipt } from './find.ts'
import type { ReceiptTools } from './tools.ts'

export interface AskedList {
  /** At most 50. */
  readonly count: number
  /** At most 1000. */
  readonly offset: number
  /** Unix milliseconds, each taken as its whole day in UTC+5. */
  readonly from: number
  readonly to: number
}

/** Receipts of a span of days, both included, newest first. */
export async function listReceipts(tools: ReceiptTools, asked: AskedList, asker: Asker): Promise<ReceiptRow[]> {
  const { bucket, merchantId, requestId } = asker
  const span = { from: dayOf(asked.from), to: dayOf(asked.to) + dayMs }
  if (span.from >= span.to) return []
  const { count, offset } = asked
  const receipts = await tools.store.listReceipts({ bucket, merchantId, ...span, count, offset })
  await Promise.all(receipts.map((receipt) => expectTrueReceipt(tools, receipt, requestId)))
  return receipts
}

/** The first moment of a day in UTC+5. */
export function dayOf(moment: number): number {
  return Math.floor((moment + utcPlus5Ms) / dayMs) * dayMs - utcPlus5Ms
}

const utcPlus5Ms = 5 * 3_600_000
const dayMs = 24 * 3_600_000
