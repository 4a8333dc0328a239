import type { Result } from '@tessera/contract/methods'

import type { ReceiptRow } from '../dashboard/receipts.ts'

type Shown = Result<'dashboard.receipts.list'>['receipts'][number]

/** A receipt as the dashboard's lists show it. */
export function showReceipt(receipt: ReceiptRow): Shown {
  const { receiptId, state, amountTiyin, takenTiyin, maskedPan: number, cardId, description, error, flagged, createdAt } = receipt
  return { receiptId, state, amountTiyin, takenTiyin, number, cardId, description, reason: reasonIn(error), flagged, createdAt }
}

function reasonIn(error: string | null): string | null {
  if (error === null) return null
  const { reason } = JSON.parse(error) as { readonly reason?: unknown }
  return typeof reason === 'string' ? reason : null
}
