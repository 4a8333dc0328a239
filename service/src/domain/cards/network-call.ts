import { RpcError } from '@tessera/contract/errors'

import { notYet, valueAtOnce, withTimeout, type TimeoutOptions } from '../../clock.ts'
import type { NetworkRefusal, NetworkRefusalReason } from '../../adapters/network/network.ts'
import { NetworkNotReached } from '../../adapters/network/network-not-reached.ts'
import { PeerUnavailable, type PeerGate } from '../limits/peer-gate.ts'
import type { PeerCallOutcome } from '../limits/peer-breaker.ts'

/** The refusal for a call without a response in time. */
export const networkTimeoutRefusal: NetworkRefusal = Object.freeze({ kind: 'refused', reason: 'timeout' })

export interface NetworkCallOptions extends TimeoutOptions {
  readonly gate: PeerGate
  readonly merchantId: string
}

/** Calls a card network, unless its breaker is open. An adapter that throws is treated as a system error of the network. */
export function callCardNetwork<T>(
  { gate, merchantId, ...timeout }: NetworkCallOptions,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T | CausedNetworkRefusal> {
  return toRefusal(() =>
    gate.call(merchantId, () => withTimeout<T | CausedNetworkRefusal>(timeout, networkTimeoutRefusal, call), judgeRefusal),
  )
}

/**
 * For the calls that adapters of most networks answer themselves, without calling the network: they are made with an open breaker too, and need a place
 * only when they have to wait. They change nothing at the network, so one that gets no place is abandoned.
 */
export function callNetworkAdapter<T>(
  { gate, merchantId, ...timeout }: NetworkCallOptions,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T | CausedNetworkRefusal> {
  return toRefusal(async () => {
    const ending = new AbortController()
    const pending = call(ending.signal)
    pending.catch(() => undefined)
    const atOnce = await valueAtOnce(pending)
    if (atOnce !== notYet) return atOnce
    try {
      return await gate.hold(merchantId, () => withTimeout<T | CausedNetworkRefusal>(timeout, networkTimeoutRefusal, () => pending))
    } finally {
      ending.abort(new Error('the wait is over'))
    }
  })
}

/** Throws `networkUnavailable` if the network would not be called now. For a check before anything is stored. */
export function requireNetwork(gate: PeerGate, merchantId: string): void {
  const retryAfterMs = gate.refusalMs(merchantId)
  if (retryAfterMs > 0) throw new RpcError('networkUnavailable', { retryAfterMs })
}

async function toRefusal<T>(call: () => Promise<T | CausedNetworkRefusal>): Promise<T | CausedNetworkRefusal> {
  try {
    return await call()
  } catch (err) {
    const retryAfterMs = retryAfterUncalled(err)
    if (retryAfterMs !== null) return { kind: 'refused', reason: 'unavailable', retryAfterMs }
    return { kind: 'refused', reason: 'systemError', cause: err }
  }
}

/**
 * When a network may be called again that certainly got nothing of a call: its breaker was open, its places were taken, or it could not be reached. Null for
 * any other error of a call.
 */
export function retryAfterUncalled(err: unknown): number | null {
  if (err instanceof PeerUnavailable) return err.retryAfterMs
  return err instanceof NetworkNotReached ? retryAfterNotReachedMs : null
}

/** A host that restarts is back after seconds; the default of `peerPauseMs` has the same reason. */
const retryAfterNotReachedMs = 5000

/** A network that refuses a card has responded. */
function judgeRefusal(result: unknown): PeerCallOutcome {
  const { kind, reason } = (result ?? {}) as Partial<NetworkRefusal>
  return kind === 'refused' && (reason === 'timeout' || reason === 'systemError') ? 'failed' : 'succeeded'
}

/** A refusal with its cause, for the log. `unavailable`: the network was not called, or not reached. */
export interface CausedNetworkRefusal extends Omit<NetworkRefusal, 'reason'> {
  readonly reason: NetworkRefusalReason | 'unavailable'
  readonly cause?: unknown
  readonly retryAfterMs?: number
}

/** The API error for a refusal. `requestId` goes into `data` of -32400. */
export function refusalError({ reason, cause, retryAfterMs }: CausedNetworkRefusal, requestId: string): RpcError {
  if (reason === 'unavailable') return new RpcError('networkUnavailable', retryAfterMs === undefined ? {} : { retryAfterMs })
  if (reason === 'systemError') {
    return new RpcError('systemError', { data: requestId, cause: cause ?? new Error('the card network returned a system error') })
  }
  return new RpcError(refusalNames[reason])
}

const refusalNames = {
  smsNotConnected: 'smsNotConnected',
  cardExpired: 'cardExpired',
  cardBlocked: 'cardBlocked',
  holderMismatch: 'holderMismatch',
  timeout: 'networkTimeout',
} as const satisfies Record<Exclude<NetworkRefusalReason, 'systemError'>, string>
