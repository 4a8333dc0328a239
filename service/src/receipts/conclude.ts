import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import { shreddedCard } from '../cards/life.ts'
import type { Moved } from '../network/network.ts'
import type { CardRow, ReceiptRow } from '../store/store.ts'

import type { Said } from './ask.ts'
import { changeReceipt, type Change } from './change.ts'
import { findReceipt } from './find.ts'
import { afterApproval, afterRefusal, afterSilence, refusalOf } from './life.ts'
import { newOperation, saidOf } from './operations.ts'
import type { Payment } from './payment.ts'
import type { ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

/**
 * Keeps what the network said. Once it was asked, a store that fails leaves the outcome open, and the background settles it: the caller is
 * told so, never that nothing was done.
 */
export async function conclude(tools: ReceiptTools, payment: Payment, said: Said<Moved>, asker: ReceiptAsker): Promise<ReceiptRow> {
  const error = errorOf(said)
  const kept = await keepOutcome(tools, payment, { said, error, asker }).catch((cause: unknown) => {
    throw new RpcError('paymentUnknown', { cause })
  })
  // The background took over: our lease had ended before the answer came.
  if (kept === null) throw new RpcError('paymentUnknown')
  if (error !== null) throw error
  return kept
}

function errorOf(said: Said<Moved>): RpcError | null {
  if (said.kind === 'approved') return null
  if (said.kind === 'declined') return new RpcError(refusalOf[said.reason])
  return new RpcError('paymentUnknown', 'cause' in said ? { cause: said.cause } : {})
}

interface Concluding {
  readonly said: Said<Moved>
  readonly error: RpcError | null
  readonly asker: ReceiptAsker
}

async function keepOutcome(tools: ReceiptTools, payment: Payment, concluding: Concluding): Promise<ReceiptRow | null> {
  for (let turn = 0; turn < turnsMax; turn++) {
    const kept = await changeReceipt(tools, await outcomeOf(tools, payment, concluding))
    if (typeof kept !== 'string') return kept
    // It was the card that moved, by resealing or by its merchant, or the receipt itself.
    const there = await findReceipt(tools, payment.receipt.receiptId, concluding.asker)
    if (there.version !== payment.receipt.version) return null
  }
  return null
}

async function outcomeOf(tools: ReceiptTools, payment: Payment, { said, error, asker }: Concluding): Promise<Change> {
  const { receipt, operation } = payment
  const { figures, clock } = tools
  const now = clock.now()
  const settled = { from: receipt, operations: [saidOf(operation, said, now)], asker, answers: error ?? 'receipt' } as const
  if (said.kind === 'unknown') {
    return { ...settled, to: afterSilence(figures, now), action: 'receipt.unknown', outcome: 'unknown' }
  }
  const unlocked = { ...settled, cardLock: receipt.oneTime ? ({ cardId: receipt.cardId, move: 'release' } as const) : null }
  if (said.kind === 'declined') {
    const to = afterRefusal(figures, receipt, refusalOf[said.reason])
    return { ...unlocked, to, action: 'receipt.refused', outcome: said.reason, event: 'receipt.failed' }
  }
  const isClosing = payment.isAsked && receipt.state === receiptStates.debiting
  const to = afterApproval(figures, receipt, { networkRef: said.networkRef, now, isClosing })
  const done = { ...unlocked, to, card: receipt.oneTime ? await usedCard(tools, receipt, now) : null }
  if (isClosing) {
    const operations = [...settled.operations, newOperation(receipt, 'merchantPerform', receipt.amountTiyin, now)]
    return { ...done, operations, answers: null, action: 'receipt.closing', outcome: 'approved' }
  }
  if (to.state === receiptStates.held) return { ...done, action: 'receipt.held', outcome: 'approved', event: 'receipt.held' }
  return { ...done, action: 'receipt.paid', outcome: 'approved', event: 'receipt.paid' }
}

/** What a one-time card becomes when it has paid; null when there is none any more, or it is not as we wrote it. */
async function usedCard({ store, cardMac, alarm }: ReceiptTools, receipt: ReceiptRow, now: number): Promise<CardRow | null> {
  const { bucket, merchantId, cardId, receiptId } = receipt
  const card = await store.findCard({ bucket, merchantId, cardId })
  if (card === null || card.state !== 'live') return null
  if (await cardMac.isTrue(card)) return cardMac.seal(shreddedCard(card, 'removed', now))
  alarm('row_tampered', { merchantId, cardId, requestId: '', receiptId })
  return null
}

const turnsMax = 5
