import { RpcError } from '@tessera/contract/errors'

import type { Moved } from '../network/network.ts'
import type { OperationRow, ReceiptRow } from '../store/store.ts'

import type { Said } from './ask.ts'
import { changeReceipt, type Change } from './change.ts'
import { afterCapture, backoffMs, holdEndsAt } from './life.ts'
import { saidOf } from './operations.ts'
import type { ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

/** What the network said of a capture, on the receipt as its asker left it. */
export interface SaidCapture {
  readonly receipt: ReceiptRow
  readonly capture: OperationRow
  readonly said: Said<Moved>
  /** Null: the background asked. */
  readonly asker: ReceiptAsker | null
}

/** Keeps the outcome of a capture; null when the receipt has moved meanwhile. Refused, the money stays held. */
export async function keepCapture(tools: ReceiptTools, saidCapture: SaidCapture): Promise<ReceiptRow | null> {
  const kept = await changeReceipt(tools, outcomeOf(tools, saidCapture))
  return typeof kept === 'string' ? null : kept
}

function outcomeOf({ figures, clock }: ReceiptTools, { receipt, capture, said, asker }: SaidCapture): Change {
  const now = clock.now()
  const settled = { from: receipt, operations: [saidOf(capture, said, now)], asker }
  if (said.kind === 'approved') {
    const to = afterCapture(capture.amountTiyin, now)
    return { ...settled, to, answers: 'receipt', action: 'receipt.paid', outcome: 'captured', event: 'receipt.paid' }
  }
  if (said.kind === 'declined') {
    const to = { dueAt: holdEndsAt(figures, receipt), looks: 0, flagged: false }
    return { ...settled, to, answers: new RpcError('debitFailed'), action: 'receipt.refused', outcome: said.reason }
  }
  const flagged = now - capture.askedAt >= figures.flagAfterMs
  const to = { dueAt: now + backoffMs(figures, receipt.looks), flagged }
  return { ...settled, to, answers: new RpcError('paymentUnknown'), action: 'receipt.unknown', outcome: 'capture' }
}
