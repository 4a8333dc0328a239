import type { RpcError } from '@tessera/contract/errors'

import type { CardRow, OperationRow, ReceiptChange, ReceiptRow } from '../store/store.ts'

import { receiptEvent, type ReceiptEventType } from './events.ts'
import { expectMove } from './moves.ts'
import { noteReceipt } from './note.ts'
import { riders, TwinFound, type ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

/** One change of a receipt, with everything that is kept together with it. */
export interface Change {
  readonly from: ReceiptRow
  readonly to: Partial<ReceiptRow>
  readonly operations?: readonly OperationRow[]
  readonly cardLock?: ReceiptChange['cardLock']
  readonly card?: CardRow | null
  /** For the audit: `receipt.<deed>`. */
  readonly action: string
  readonly outcome: string
  readonly event?: ReceiptEventType
  /** Null: nobody asked for it. */
  readonly asker: ReceiptAsker | null
  readonly isIntention?: boolean
  /** What the caller is told, where that is not the receipt as it is left; null where the call goes on. */
  readonly answers?: RpcError | 'receipt' | 'success' | null
}

/**
 * Puts a receipt's next version in place of the one that was read. `moved`: another change came first, and nothing was done.
 * Throws `TwinFound`, what the store throws, and on a move that is not in the table.
 */
export async function changeReceipt(tools: ReceiptTools, change: Change): Promise<ReceiptRow | 'moved' | 'cardLocked'> {
  const { from, to, asker, event, action, outcome } = change
  expectMove(from.state, to.state ?? from.state)
  const now = tools.clock.now()
  const looks = (to.state ?? from.state) === from.state ? from.looks : 0
  const next = await tools.mac.seal({ ...from, looks, ...to, version: from.version + 1 })
  const { answers = null } = change
  const riding = {
    audit: noteReceipt(asker, next, { at: now, action, outcome }),
    events: event === undefined ? [] : [receiptEvent(event, next, now)],
    claims: change.isIntention === true ? next.requestId || next.receiptId : null,
    answers: answers === 'receipt' ? next : answers,
  }
  const { operations = [], cardLock = null, card = null } = change
  const changed = await tools.store.changeReceipt({ next, operations, cardLock, card }, riders(asker, riding))
  if (changed === 'twin') throw new TwinFound()
  return changed === 'changed' ? next : changed
}
