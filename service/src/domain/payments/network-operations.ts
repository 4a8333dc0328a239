import { issueId } from '@tessera/vault/id'

import { withTimeout } from '../../clock.ts'
import type { FollowUpRequest, Network, NetworkOutcome, NetworkStatus, StatusRequest } from '../../adapters/network/network.ts'
import type { MovementKind, OperationKind, OperationRow } from '../../store/operations.ts'
import type { ReceiptRow } from '../../store/receipts.ts'
import type { LiveCard } from '../cards/find.ts'
import { retryAfterUncalled } from '../cards/network-call.ts'

import type { PeerCallOutcome } from '../limits/peer-breaker.ts'

import type { NetworkPeer } from '../networks.ts'

import type { PaymentServices } from './dependencies.ts'
import { toStatusRequest, type LeasedFollowUp } from './operation-network.ts'
import type { DueReceipt } from './transitions.ts'

/** A call of the network or the merchant's endpoint, under a new requestId, before it is made. The transition that stores it makes its MAC. `now` is unix milliseconds. */
export function newOperation(receipt: ReceiptRow, kind: OperationKind, amountTiyin: number, now: number): OperationRow {
  const { bucket, merchantId, receiptId } = receipt
  return {
    bucket,
    merchantId,
    receiptId,
    requestId: issueId(bucket, now),
    kind,
    amountTiyin,
    state: 'asked',
    networkRef: '',
    reason: '',
    rawCode: '',
    requestedAt: now,
    resolvedAt: 0,
    cardId: '',
    network: '',
    trace: '',
    mac: new Uint8Array(0),
  }
}

/** The operation with the network's reply. */
export function withNetworkReply(operation: OperationRow, reply: NetworkOutcome | NetworkCallRefusal, now: number): OperationRow {
  if (reply.kind === 'notCalled') return { ...operation, state: 'declined', reason: networkUnavailable, rawCode: '', resolvedAt: now }
  if (reply.kind === 'approved') return { ...operation, state: 'approved', networkRef: reply.networkRef, resolvedAt: now }
  if (reply.kind === 'unknown') return { ...operation, state: 'unknown' }
  return { ...operation, state: 'declined', reason: reply.reason, rawCode: reply.rawCode, resolvedAt: now }
}

/** The debit or hold of a receipt. It has at most one that was not declined. */
export function findAuthorization(operations: readonly OperationRow[]): OperationRow | null {
  return operations.find(({ kind, state }) => (kind === 'authorise' || kind === 'hold') && state !== 'declined') ?? null
}

/** The current operation: in progress, or the last one. */
export function findCurrentOperation(operations: readonly OperationRow[], { requestId }: ReceiptRow): OperationRow | null {
  return operations.find((operation) => operation.requestId === requestId) ?? null
}

export function isOperationPending(operation: OperationRow | null): boolean {
  return operation !== null && (operation.state === 'asked' || operation.state === 'unknown')
}

/** The state as the dashboard and the command line show it. The value `asked` is stored since the first version. */
export function toOperationState(state: OperationRow['state']): 'requested' | Exclude<OperationRow['state'], 'asked'> {
  return state === 'asked' ? 'requested' : state
}

/** The kind as the dashboard, the command line and the audit show it. The value `authorise` is stored since the first version. */
export function toOperationKind(kind: OperationKind): 'authorize' | Exclude<OperationKind, 'authorise'> {
  return kind === 'authorise' ? 'authorize' : kind
}

/** The `perform` call of the merchant's endpoint; null if it was never called. */
export function findMerchantPerform(operations: readonly OperationRow[]): OperationRow | null {
  return operations.find(({ kind }) => kind === 'merchantPerform') ?? null
}

/** The network's part of a follow-up request: it names the authorization and needs no card number. */
export function toFollowUpRequest(operation: OperationRow, authorization: OperationRow, isRepeat = false): FollowUpRequest {
  const { requestId, merchantId, amountTiyin, trace } = operation
  const { requestId: ofRequestId, networkRef, trace: ofTrace, amountTiyin: ofAmountTiyin, kind } = authorization
  return { requestId, merchantId, ofRequestId, networkRef, amountTiyin, trace, ofTrace, ofAmountTiyin, ofHold: kind === 'hold', isRepeat }
}

/** The network's outcome, with the error of an adapter that failed, for the log. */
export type NetworkReply<T> = T | { readonly kind: 'unknown'; readonly cause?: unknown }

/** The network was not called, because it does not respond, or could not be reached: nothing was moved, for certain. */
export interface NetworkCallRefusal {
  readonly kind: 'notCalled'
  readonly retryAfterMs: number
}

/** When a network that is not in the settings may be called again: after an operator has put it back. */
const removedNetworkMs = 60_000

/** The stored reason of an operation for which the network was not called or not reached. */
export const networkUnavailable = 'networkUnavailable'

/** `merchantId` null: a call of the worker, which has no share of the places. */
export interface NetworkCaller {
  readonly merchantId: string | null
  readonly signal: AbortSignal
}

/**
 * Calls a network with a timeout, unless its breaker is open or it was taken out of the settings. A network that could not be reached was not called. One
 * that does not reply, or an adapter that fails, may have moved the money: the outcome is unknown, and the call is never simply repeated.
 */
export async function callNetwork<T extends NetworkStatus>(
  { clock, settings }: PaymentServices,
  peer: NetworkPeer | null,
  { merchantId, signal }: NetworkCaller,
  call: (network: Network, signal: AbortSignal) => Promise<T>,
  judge: (reply: NetworkReply<T>) => PeerCallOutcome = judgeReply,
): Promise<NetworkReply<T> | NetworkCallRefusal> {
  const late: NetworkReply<T> = { kind: 'unknown' }
  const timeout = { clock, timeoutMs: settings.networkTimeoutMs, signal }
  if (peer === null) return { kind: 'notCalled', retryAfterMs: removedNetworkMs }
  const { network, gate } = peer
  try {
    return await gate.call(merchantId, () => withTimeout<NetworkReply<T>>(timeout, late, (until) => call(network, until)), judge)
  } catch (err) {
    const retryAfterMs = retryAfterUncalled(err)
    return retryAfterMs === null ? { kind: 'unknown', cause: err } : { kind: 'notCalled', retryAfterMs }
  }
}

function judgeReply(reply: NetworkReply<NetworkStatus>): PeerCallOutcome {
  if (reply.kind === 'unknown') return 'isAnswered' in reply ? 'succeeded' : 'failed'
  return reply.kind === 'declined' && (reply.reason === 'systemError' || reply.reason === 'networkTimeout') ? 'failed' : 'succeeded'
}

/** For the worker: the network's outcome of an earlier call. That it is not known there, or not yet, is a reply like any other. */
export async function queryStatus(
  services: PaymentServices,
  peer: NetworkPeer | null,
  request: StatusRequest,
  signal: AbortSignal,
): Promise<NetworkReply<NetworkStatus>> {
  const judge = ({ kind }: { readonly kind: string }): PeerCallOutcome =>
    kind === 'unknown' || kind === 'noInquiry' ? 'ignored' : 'succeeded'
  const caller = { merchantId: null, signal }
  return toUnknown(await callNetwork(services, peer, caller, (network, until) => network.status(request, until), judge))
}

/** For the worker, which asks again later: a call that was not made has an unknown outcome like one without a reply. */
function toUnknown<T extends { readonly kind: string }>(reply: T | NetworkCallRefusal): T | { readonly kind: 'unknown' } {
  return isNotCalled(reply) ? { kind: 'unknown' } : reply
}

function isNotCalled(reply: { readonly kind: string }): reply is NetworkCallRefusal {
  return reply.kind === 'notCalled'
}

/**
 * Sends a refund, reversal, release of a hold or capture to the network so that it takes effect at most once. Asks for the status first, since an earlier
 * attempt may have ended without a reply: the call is made only when the network has never seen its requestId. A network without a status inquiry gets the
 * same call again, marked as a repeat, which it knows by its trace number.
 */
export async function sendFollowUpOnce(
  { services, signal }: Pick<DueReceipt, 'services' | 'signal'>,
  { operation, authorization, peer, isRepeat }: LeasedFollowUp,
): Promise<NetworkReply<NetworkOutcome>> {
  const { kind } = operation
  if (!isFollowUpKind(kind)) throw new Error(`an operation of kind ${kind} is not a follow-up`)
  const status = await queryStatus(services, peer, toStatusRequest(operation, authorization), signal)
  if (status.kind !== 'neverSeen' && status.kind !== 'noInquiry') return status
  const request = toFollowUpRequest(operation, authorization, isRepeat && status.kind === 'noInquiry')
  const caller = { merchantId: null, signal }
  return toUnknown(await callNetwork(services, peer, caller, (network, until) => sendFollowUp(network, kind, request, until)))
}

function sendFollowUp(network: Network, kind: FollowUpKind, request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
  switch (kind) {
    case 'refund':
      return network.refund(request, signal)
    case 'reverse':
      return network.reverse(request, signal)
    case 'cancelHold':
      return network.cancelHold(request, signal)
    case 'capture':
      return network.capture(request, signal)
  }
}

type FollowUpKind = Exclude<MovementKind, 'authorise' | 'hold'>

function isFollowUpKind(kind: OperationKind): kind is FollowUpKind {
  return kind === 'capture' || kind === 'cancelHold' || kind === 'refund' || kind === 'reverse'
}

/** A payment whose intention is stored, so that the network may be called. */
export interface StartedPayment {
  readonly found: LiveCard
  readonly receipt: ReceiptRow
  readonly operation: OperationRow
  /** Whether the merchant has an endpoint, which is called before and after the network. */
  readonly hasEndpoint: boolean
  /** The network of the card. */
  readonly peer: NetworkPeer
}
