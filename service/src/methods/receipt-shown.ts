import type { Result } from '@tessera/contract/methods'

import type { LookedReceipt } from '../dashboard/receipts.ts'

import { shownMoment } from './card-shown.ts'

type Shown = Result<'dashboard.receipts.list'>['receipts'][number]

/** A receipt as the dashboard's lists show it. Of a row that is not ours nothing is told. */
export function showReceipt(receipt: LookedReceipt): Shown {
  if (receipt.state === 'tampered') {
    const { receiptId } = receipt
    const nothing = { amountTiyin: 0, takenTiyin: 0, number: '', cardId: '', description: '', reason: null, flagged: true }
    return { receiptId, state: stateTampered, ...nothing, createdAt: shownMoment(receipt.createdAt) }
  }
  const { receiptId, state, amountTiyin, takenTiyin, maskedPan: number, cardId, description, error, flagged, createdAt } = receipt
  return { receiptId, state, amountTiyin, takenTiyin, number, cardId, description, reason: reasonIn(error), flagged, createdAt }
}

/** No state of the wire: the contract tells what it means. */
const stateTampered = -1

function reasonIn(error: string | null): string | null {
  if (error === null) return null
  const { reason } = JSON.parse(error) as { readonly reason?: unknown }
  return typeof reason === 'string' ? reason : null
}
