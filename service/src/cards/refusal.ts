import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../clock.ts'
import type { Refusal, RefusalReason } from '../network/network.ts'

export interface Patience {
  readonly clock: Clock
  readonly timeoutMs: number
  /** Ends the wait early: the service is stopping. */
  readonly signal: AbortSignal
}

/**
 * Asks the outside and waits only so long. What does not answer in time, or is cut short by a stop, is `late`; the signal that
 * it got is aborted then, and whatever it says later is dropped. What it throws in time is thrown. Who answers at once, without
 * waiting for anything, is not waited for: no timer, and nothing to end.
 */
export async function askWithin<T>({ clock, timeoutMs, signal }: Patience, late: T, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (signal.aborted) return late
  const ending = new AbortController()
  const asked = ask(ending.signal)
  const atOnce = await Promise.race([asked, stillAsked])
  if (atOnce !== notYet) return atOnce
  return waitFor(asked, ending, { clock, timeoutMs, signal }, late)
}

async function waitFor<T>(asked: Promise<T>, ending: AbortController, { clock, timeoutMs, signal }: Patience, late: T): Promise<T> {
  const end = () => ending.abort(waitIsOver)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const tooLate = clock.sleep(timeoutMs, ending.signal).then(
    () => late,
    () => late,
  )
  try {
    return await Promise.race([asked, tooLate])
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

const notYet = Symbol('not yet')
/** Loses every race against what is known already, and wins the others at once. */
const stillAsked = Promise.resolve(notYet)
const waitIsOver = new Error('the wait is over')

/** What a network says when it says nothing in time. */
export const networkLate: Refusal = Object.freeze({ kind: 'refused', reason: 'timeout' })

/** Asks a card network; an adapter that throws is a network whose system is out of order. */
export async function askNetwork<T>(patience: Patience, ask: (signal: AbortSignal) => Promise<T>): Promise<T | NetworkRefusal> {
  try {
    return await askWithin<T | Refusal>(patience, networkLate, ask)
  } catch (err) {
    return { kind: 'refused', reason: 'systemError', cause: err }
  }
}

/** A refusal with what our log should know of it. */
export interface NetworkRefusal extends Refusal {
  readonly cause?: unknown
}

/** A refusal in the words of the wire. `requestId` is what -32400 tells in `data`. */
export function refusalError({ reason, cause }: NetworkRefusal, requestId: string): RpcError {
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
} as const satisfies Record<Exclude<RefusalReason, 'systemError'>, string>
