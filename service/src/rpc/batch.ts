import { batchTimeMs } from '@tessera/contract/envelope'
import type { ErrorName } from '@tessera/contract/errors'
import { isMethodName, methods } from '@tessera/contract/methods'

import type { ReadCall } from './call-reader.ts'
import { isEarlier } from './fault.ts'

/** What ends a batch before its last call. */
export interface BatchEnd {
  /** Aborted when the service is told to stop. */
  readonly stopping: AbortSignal
  /** Resolves after `ms`; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Answers the calls of a batch one after the other, in their order. One that has begun is finished; one that has not when the service is told
 * to stop, or when the time of the batch is over, is refused. What is refused is wiped at that moment, be its turn ever so far.
 */
export async function answerInTurn<T>(
  calls: readonly ReadCall[],
  { stopping, sleep }: BatchEnd,
  answer: (call: ReadCall) => Promise<T>,
): Promise<T[]> {
  const waiting = [...calls]
  for (const call of waiting) if (!needsCardNumber(call)) wipe(call)
  let ended: ErrorName | null = null
  const end = (entry: ErrorName): void => {
    ended ??= entry
    waiting.forEach(wipe)
  }
  const stop = (): void => end('draining')
  const finished = new AbortController()
  if (stopping.aborted) stop()
  else stopping.addEventListener('abort', stop, { once: true })
  sleep(batchTimeMs, finished.signal).then(
    () => end('batchTimeOver'),
    () => undefined,
  )
  try {
    const answers: T[] = []
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) answers.push(await answer(refuse(call, ended)))
    return answers
  } finally {
    stopping.removeEventListener('abort', stop)
    finished.abort()
    waiting.forEach(wipe)
  }
}

/** Whether a card number waits for anything but its refusal. */
function needsCardNumber({ method, requestFault, paramsFault }: ReadCall): boolean {
  if (method === null || !isMethodName(method) || requestFault !== null || paramsFault !== null) return false
  return 'card' in methods[method].params.properties
}

/** What was wrong with the call before is told all the same. */
function refuse(call: ReadCall, entry: ErrorName | null): ReadCall {
  return entry !== null && isEarlier(entry, call.requestFault) ? { ...call, requestFault: { entry } } : call
}

function wipe({ cardNumber }: ReadCall): void {
  cardNumber?.fill(0)
}
