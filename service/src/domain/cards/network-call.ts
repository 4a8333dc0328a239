import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../../clock.ts'
import type { NetworkRefusal, NetworkRefusalReason } from '../../adapters/network/network.ts'

export interface WaitOptions {
  readonly clock: Clock
  readonly timeoutMs: number
  /** Ends the wait early: the service is stopping. */
  readonly signal: AbortSignal
}

/**
 * Calls an external system with a timeout. Returns `late` when there is no result in time or when `signal` is aborted; the signal that the call
 * received is aborted then, and a later result is ignored. An error within the time is thrown. A call that resolves immediately needs no
 * timer.
 */
export async function waitWithTimeout<T>(
  { clock, timeoutMs, signal }: WaitOptions,
  late: T,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) return late
  const ending = new AbortController()
  const pending = call(ending.signal)
  const atOnce = await Promise.race([pending, stillPending])
  if (atOnce !== notYet) return atOnce
  return waitFor(pending, ending, { clock, timeoutMs, signal }, late)
}

async function waitFor<T>(pending: Promise<T>, ending: AbortController, { clock, timeoutMs, signal }: WaitOptions, late: T): Promise<T> {
  const end = () => ending.abort(waitIsOver)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const tooLate = clock.sleep(timeoutMs, ending.signal).then(
    () => late,
    () => late,
  )
  try {
    return await Promise.race([pending, tooLate])
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

const notYet = Symbol('not yet')
/** Loses a race against a promise that is already resolved, and wins every other race. */
const stillPending = Promise.resolve(notYet)
const waitIsOver = new Error('the wait is over')

/** The refusal that stands for no answer in time. */
export const networkTimeoutRefusal: NetworkRefusal = Object.freeze({ kind: 'refused', reason: 'timeout' })

/** Calls a card network. An adapter that throws is treated as a system error of the network. */
export async function callCardNetwork<T>(
  options: WaitOptions,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T | CausedNetworkRefusal> {
  try {
    return await waitWithTimeout<T | CausedNetworkRefusal>(options, networkTimeoutRefusal, call)
  } catch (err) {
    return { kind: 'refused', reason: 'systemError', cause: err }
  }
}

/** A refusal with its cause, for the log. */
export interface CausedNetworkRefusal extends NetworkRefusal {
  readonly cause?: unknown
}

/** The wire's error for a refusal. `requestId` goes into `data` of -32400. */
export function refusalError({ reason, cause }: CausedNetworkRefusal, requestId: string): RpcError {
  if (reason === 'systemError') {
    return new RpcError('systemError', { data: requestId, cause: cause ?? new Error('the card network answered with a system error') })
  }
  return new RpcError(refusalNames[reason])
}

const refusalNames = {
  smsNotConnected: 'smsNotConnected',
  cardExpired: 'cardExpired',
  cardBlocked: 'cardBlocked',
  timeout: 'networkTimeout',
} as const satisfies Record<Exclude<NetworkRefusalReason, 'systemError'>, string>
