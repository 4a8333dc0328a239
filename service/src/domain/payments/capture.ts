import { readAmount } from '@tessera/contract/receipt'
import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import type { NetworkOutcome } from '../../adapters/network/network.ts'
import type { OperationRow } from '../../store/operations.ts'
import type { ReceiptRow } from '../../store/receipts.ts'
import { requireNetwork } from '../cards/network-call.ts'
import { retryOnConflict } from '../concurrency.ts'
import type { NetworkPeer } from '../networks.ts'

import type { PaymentServices } from './dependencies.ts'
import { loadOperations, loadReceipt } from './find.ts'
import {
  callNetwork,
  findAuthorization,
  findCurrentOperation,
  isOperationPending,
  type NetworkCallRefusal,
  type NetworkReply,
  newOperation,
  sendFollowUpOnce,
  toFollowUpRequest,
  withNetworkReply,
} from './network-operations.ts'
import { findNetworkOf, leaseFollowUp, withTrace } from './operation-network.ts'
import { holdEndsAt, nextAttemptAt, updateAfterCapture } from './receipt-patches.ts'
import { releaseExpiredHold } from './refund.ts'
import { isPaymentInProgress } from './states.ts'
import type { ReceiptContext } from './transition-records.ts'
import { tryTransition, type DueReceipt, type ReceiptTransition } from './transitions.ts'

/** Captures a hold: `requestedTiyin` of it, or all of it if null. The rest is released. */
export async function confirmHold(
  services: PaymentServices,
  receiptId: string,
  requestedTiyin: number | null,
  ctx: ReceiptContext,
): Promise<ReceiptRow> {
  const amountTiyin = requestedTiyin === null ? null : readAmount(requestedTiyin)
  if (requestedTiyin !== null && amountTiyin === null) throw new RpcError('amountInvalid', { data: 'amount' })
  const { receipt, capture, authorization, peer } = await startCapture(services, { receiptId, amountTiyin }, ctx)
  const request = toFollowUpRequest(capture, authorization)
  const reply = await callNetwork(services, peer, ctx, (network, signal) => network.capture(request, signal))
  const captured = await recordCapture(services, { receipt, capture, reply, ctx }).catch((cause: unknown) => {
    throw new RpcError('paymentUnknown', { cause })
  })
  if (captured === null || reply.kind === 'unknown') throw new RpcError('paymentUnknown')
  if (reply.kind !== 'approved') throw captureError(reply)
  return captured
}

interface StartedCapture {
  readonly receipt: ReceiptRow
  readonly capture: OperationRow
  readonly authorization: OperationRow
  readonly peer: NetworkPeer
}

interface CaptureInput {
  readonly receiptId: string
  readonly amountTiyin: number | null
}

async function startCapture(
  services: PaymentServices,
  { receiptId, amountTiyin }: CaptureInput,
  ctx: ReceiptContext,
): Promise<StartedCapture> {
  return retryOnConflict(async () => {
    const receipt = await loadReceipt(services, receiptId, ctx)
    assertHeld(services, receipt)
    const operations = await loadOperations(services, receipt)
    if (operations === null) return null
    if (isOperationPending(findCurrentOperation(operations, receipt))) throw new RpcError('receiptInProgress')
    if (amountTiyin !== null && amountTiyin > receipt.takenTiyin) throw new RpcError('amountAboveHold', { data: 'amount' })
    const authorization = findAuthorization(operations)
    if (authorization === null) throw new Error('a held receipt has no authorization')
    const peer = findNetworkOf(services, receipt, authorization)
    if (peer === null) throw new RpcError('networkUnavailable')
    requireNetwork(peer.gate, ctx.merchantId)
    const now = services.clock.now()
    const requested = newOperation(receipt, 'capture', amountTiyin ?? receipt.takenTiyin, now)
    const capture = await services.operationRows.seal(await withTrace(peer, requested))
    const started = await tryTransition(services, {
      cause: 'capture_started',
      from: receipt,
      to: { requestId: capture.requestId, dueAt: now + services.settings.leaseMs, reconcileAttempts: 0 },
      newOperations: [capture],
      outcome: 'capture',
      ctx,
      isStart: true,
    })
    return started === null ? null : { receipt: started, capture, authorization, peer }
  })
}

/** A hold ends at its time, even if the worker has not released it yet. */
function assertHeld({ settings, clock }: PaymentServices, receipt: ReceiptRow): void {
  if (isPaymentInProgress(receipt.state)) throw new RpcError('receiptInProgress')
  if (receipt.state !== receiptStates.held || clock.now() >= holdEndsAt(settings, receipt)) throw new RpcError('receiptNotHeld')
}

/** For the worker: finds the outcome of a pending capture, or releases an expired hold. */
export async function advanceHeld(due: DueReceipt): Promise<ReceiptRow | null> {
  const { services, receipt } = due
  const operations = await loadOperations(services, receipt)
  if (operations === null) return null
  const capture = findCurrentOperation(operations, receipt)
  if (capture === null || !isOperationPending(capture) || capture.kind !== 'capture') return releaseExpiredHold(due)
  const authorization = findAuthorization(operations)
  if (authorization === null) throw new Error('a held receipt has no authorization')
  const leased = await leaseFollowUp(due, capture, { authorization, operations })
  if (leased === null) return null
  const reply = await sendFollowUpOnce(due, leased)
  return recordCapture(services, { receipt: leased.receipt, capture: leased.operation, reply, ctx: null })
}

/** The network's reply to a capture. `receipt` is the row when the network was called. */
interface CaptureReply {
  readonly receipt: ReceiptRow
  readonly capture: OperationRow
  readonly reply: NetworkReply<NetworkOutcome> | NetworkCallRefusal
  /** Null: the worker made the call. */
  readonly ctx: ReceiptContext | null
}

/** Stores the outcome of a capture. If declined, the amount stays held. Null if another change came first. */
function recordCapture(services: PaymentServices, captureReply: CaptureReply): Promise<ReceiptRow | null> {
  return tryTransition(services, captureTransition(services, captureReply))
}

/** The error of a capture for which nothing was taken. */
function captureError(reply: NetworkCallRefusal | { readonly kind: 'declined' }): RpcError {
  return reply.kind === 'declined' ? new RpcError('debitFailed') : new RpcError('networkUnavailable', { retryAfterMs: reply.retryAfterMs })
}

function captureTransition({ settings, clock }: PaymentServices, { receipt, capture, reply, ctx }: CaptureReply): ReceiptTransition {
  const now = clock.now()
  const operation = withNetworkReply(capture, reply, now)
  const base = { from: receipt, operations: [operation], ctx }
  if (reply.kind === 'approved') {
    return { ...base, cause: 'captured', to: updateAfterCapture(capture.amountTiyin, now), outcome: 'captured', reply: 'receipt' }
  }
  if (reply.kind !== 'unknown') {
    const to = { dueAt: holdEndsAt(settings, receipt), reconcileAttempts: 0, flagged: false }
    return { ...base, cause: 'capture_declined', to, outcome: operation.reason, reply: captureError(reply) }
  }
  const flagged = now - capture.requestedAt >= settings.flagAfterMs
  const to = { dueAt: nextAttemptAt(settings, receipt, { now, reply }), flagged }
  return { ...base, cause: 'capture_unknown', to, outcome: 'capture', reply: new RpcError('paymentUnknown') }
}
