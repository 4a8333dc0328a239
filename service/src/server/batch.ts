import { maxBatchTimeMs } from '@tessera/contract/envelope'
import type { ErrorName } from '@tessera/contract/errors'
import { isOperationName, operations } from '@tessera/contract/operations'

import { wipeCall, type ReadCall } from './reader/call-reader.ts'
import { isEarlier } from './reader/fault.ts'

/** What may end a batch before its last call. */
export interface BatchDeadline {
  /** Aborted when the service is told to stop. */
  readonly stopping: AbortSignal
  /** Resolves after `ms`; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Handles the calls of a batch one after the other, in their order. A call that has begun is finished; one that has not begun when the service is told
 * to stop, or when the time of the batch is over, is refused. Card numbers of refused calls are wiped at once, before their turn.
 */
export async function handleInTurn<T>(
  calls: readonly ReadCall[],
  { stopping, sleep }: BatchDeadline,
  answer: (call: ReadCall) => Promise<T>,
): Promise<T[]> {
  const waiting = [...calls]
  for (const call of waiting) if (!needsCardNumbers(call)) wipeCall(call)
  let ended: ErrorName | null = null
  const end = (entry: ErrorName): void => {
    ended ??= entry
    waiting.forEach(wipeCall)
  }
  const stop = (): void => end('draining')
  const finished = new AbortController()
  if (stopping.aborted) stop()
  else stopping.addEventListener('abort', stop, { once: true })
  sleep(maxBatchTimeMs, finished.signal).then(
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
    waiting.forEach(wipeCall)
  }
}

/** Whether the card numbers of a call are needed for anything but its refusal. */
function needsCardNumbers({ method, withheld, requestFault, paramsFault }: ReadCall): boolean {
  if (method === null || !isOperationName(method) || requestFault !== null || paramsFault !== null) return false
  return 'card' in operations[method].params.properties || withheld.length > 0
}

/** A fault that the call already had is reported if it comes first in the table of errors. */
function refuse(call: ReadCall, entry: ErrorName | null): ReadCall {
  return entry !== null && isEarlier(entry, call.requestFault) ? { ...call, requestFault: { entry } } : call
}
