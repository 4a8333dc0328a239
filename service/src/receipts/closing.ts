import { RpcError } from '@tessera/contract/errors'

import type { EndpointSaid } from '../endpoint/endpoint.ts'
import type { OperationRow, ReceiptRow } from '../store/store.ts'

import { changeReceipt, type Change } from './change.ts'
import { afterClosing, asReturning, backoffMs, keptError } from './life.ts'
import { lease, type Looking } from './looking.ts'
import { askMerchant, merchantRefusal, merchantSaidOf, paymentOf } from './merchant-said.ts'
import { newOperation, performOf } from './operations.ts'
import type { ReceiptAsker } from './riders.ts'
import type { ReceiptTools } from './tools.ts'

/**
 * Tells the merchant that the money is there. It agrees, and the receipt is paid; it refuses, and the money goes back; it does not answer,
 * and is asked again by the background: it may have taken the payment all the same.
 */
export async function closeWithMerchant(tools: ReceiptTools, receipt: ReceiptRow, asker: ReceiptAsker): Promise<ReceiptRow> {
  const said = await askPerform(tools, receipt, { signal: asker.signal, isAgain: false })
  const kept = await keepClosing(tools, { receipt, said, asker }).catch((cause: unknown) => {
    throw new RpcError('merchantClosing', { cause })
  })
  if (kept === null || said.kind === 'silent') throw new RpcError('merchantClosing')
  if (said.kind === 'refused') throw merchantRefusal(said)
  return kept
}

/** Whoever told the merchant is gone, or heard nothing. */
export async function settleClosing(looking: Looking): Promise<ReceiptRow | null> {
  const { tools, signal } = looking
  const receipt = await lease(looking)
  if (receipt === null) return null
  const said = await askPerform(tools, receipt, { signal, isAgain: true })
  return keepClosing(tools, { receipt, said, asker: null })
}

interface AskedPerform {
  readonly signal: AbortSignal
  readonly isAgain: boolean
}

function askPerform(tools: ReceiptTools, receipt: ReceiptRow, { signal, isAgain }: AskedPerform): Promise<EndpointSaid> {
  const ask = { ...paymentOf(receipt), transactionId: receipt.receiptId, at: receipt.payTime, isAgain }
  return askMerchant(tools, signal, (endpoint, until) => endpoint.perform(ask, until))
}

interface Closing {
  readonly receipt: ReceiptRow
  readonly said: EndpointSaid
  /** Null: the background asked. */
  readonly asker: ReceiptAsker | null
}

/** Null when the receipt has moved meanwhile. */
async function keepClosing(tools: ReceiptTools, closing: Closing): Promise<ReceiptRow | null> {
  const perform = performOf(await tools.store.listOperations(closing.receipt))
  if (perform === null) throw new Error('a payment is closed by an operation')
  const kept = await changeReceipt(tools, outcomeOf(tools, closing, perform))
  return typeof kept === 'string' ? null : kept
}

function outcomeOf({ figures, clock }: ReceiptTools, { receipt, said, asker }: Closing, perform: OperationRow): Change {
  const now = clock.now()
  const isOver = now - perform.askedAt >= figures.closeForMs
  const settled = { from: receipt, operations: [merchantSaidOf(perform, said, { now, isOver })], asker }
  if (said.kind === 'agreed') {
    return { ...settled, to: afterClosing(), answers: 'receipt', action: 'receipt.paid', outcome: 'closed', event: 'receipt.paid' }
  }
  if (said.kind === 'silent' && !isOver) {
    const to = { dueAt: now + backoffMs(figures, receipt.looks) }
    return { ...settled, to, answers: new RpcError('merchantClosing'), action: 'receipt.closing', outcome: said.why }
  }
  const refusal = merchantRefusal(said)
  const refund = newOperation(receipt, 'refund', receipt.takenTiyin, now)
  const error = keptError(refusal.entry, said.kind === 'refused' ? said.error : undefined)
  const returning = {
    ...settled,
    to: { ...asReturning(refund, now), error },
    operations: [...settled.operations, refund],
    answers: refusal,
  }
  const outcome = said.kind === 'refused' ? 'merchant_refused' : 'merchant_no_answer'
  return { ...returning, action: 'receipt.returning', outcome, event: 'receipt.failed' }
}
