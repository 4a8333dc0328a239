import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import type { ReceiptRow } from '../store/store.ts'

import { changeReceipt, type Change } from './change.ts'
import { findReceipt } from './find.ts'
import { asCancelled, asReturning } from './life.ts'
import { isOpen } from './moves.ts'
import { currentOf, isUnderWay, newOperation } from './operations.ts'
import type { ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

/** Cancels at once what nobody has paid; what was paid or held is answered as on its way back (state 21), which the background completes. */
export async function cancelReceipt(tools: ReceiptTools, receiptId: string, asker: ReceiptAsker): Promise<ReceiptRow> {
  for (let turn = 0; turn < turnsMax; turn++) {
    const receipt = await findReceipt(tools, receiptId, asker)
    if (isOpen(receipt.state)) throw new RpcError('receiptInProgress')
    const cancelled = await changeReceipt(tools, await cancellationOf(tools, receipt, asker))
    if (typeof cancelled !== 'string') return cancelled
  }
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}

async function cancellationOf({ store, clock }: ReceiptTools, receipt: ReceiptRow, asker: ReceiptAsker): Promise<Change> {
  const now = clock.now()
  const asked = { from: receipt, asker, isIntention: true, answers: 'receipt', action: 'receipt.cancelled' } as const
  if (receipt.state === receiptStates.created) {
    return { ...asked, to: { ...asCancelled(now), sourceCancel }, outcome: 'unpaid', event: 'receipt.cancelled' }
  }
  if (receipt.state !== receiptStates.paid && receipt.state !== receiptStates.held) throw new RpcError('cannotCancel')
  const isHeld = receipt.state === receiptStates.held
  if (isHeld && isUnderWay(currentOf(await store.listOperations(receipt), receipt))) throw new RpcError('receiptInProgress')
  const operation = newOperation(receipt, isHeld ? 'cancelHold' : 'refund', receipt.takenTiyin, now)
  return { ...asked, to: { ...asReturning(operation, now), sourceCancel }, operations: [operation], outcome: operation.kind }
}

/** Who cancelled, as the wire says it: this API. */
const sourceCancel = 'subscribe'
const turnsMax = 5
