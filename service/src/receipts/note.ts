import type { Asker } from '../cards/asker.ts'
import type { Deed } from '../cards/note.ts'
import type { AuditNote, ReceiptRow } from '../store/store.ts'

/** The audit note of a change to a receipt; `left` is the row that the change leaves, `asker` null where nobody asked for it. */
export function noteReceipt(asker: Asker | null, left: ReceiptRow, deed: Deed): AuditNote {
  const { merchantId, receiptId, version, mac } = left
  return {
    ...deed,
    actor: asker === null ? 'system' : asker.userId === undefined ? `merchant:${asker.merchantId}` : `user:${asker.userId}`,
    ...{ merchantId, subject: receiptId, version, mac },
    requestId: asker?.requestId ?? '',
  }
}
