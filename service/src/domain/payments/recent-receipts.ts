import type { OperationRow } from '../../store/operations.ts'
import { operationsDigestOf } from '../../store/operations-digest.ts'
import type { ReceiptRow } from '../../store/receipts.ts'

/**
 * The receipts that this process has changed last, with the operations that were stored with each change, until they are summed up. A summary of them needs
 * neither to read two tables again nor to check what this process has just written (docs/decisions/0125-payments.md).
 */
export interface RecentReceipts {
  /** Notes a change that was committed. */
  add(receipt: ReceiptRow, stored: readonly OperationRow[]): void
  /**
   * Removes and returns a receipt with all of its operations. Null when it is not known in this version or a newer one, or not with all of them: then it has
   * to be read.
   */
  take(receiptId: string, version: number): ReceiptWithOperations | null
}

export interface ReceiptWithOperations {
  readonly receipt: ReceiptRow
  readonly operations: readonly OperationRow[]
}

export function makeRecentReceipts(): RecentReceipts {
  const recent = new Map<string, ReceiptWithOperations>()
  return Object.freeze<RecentReceipts>({
    add(receipt, stored) {
      const { receiptId, version } = receipt
      // Commits may be reported in another order than they were made.
      if ((recent.get(receiptId)?.receipt.version ?? 0) > version) return
      if (recent.size >= maxReceipts) recent.delete(recent.keys().next().value ?? '')
      recent.set(receiptId, { receipt, operations: stored })
    },
    take(receiptId, version) {
      const found = recent.get(receiptId)
      if (found === undefined) return null
      recent.delete(receiptId)
      const { receipt, operations } = found
      const hasAll = Buffer.compare(receipt.operationsDigest, operationsDigestOf(operations)) === 0
      return receipt.version >= version && hasAll ? found : null
    },
  })
}

/** Some 4 MiB. Of more changes between two runs of the summaries, the oldest are read again. */
const maxReceipts = 2048
