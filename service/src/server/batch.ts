import { maxBatchTimeMs } from '@tessera/contract/envelope'
import type { ErrorName } from '@tessera/contract/errors'
import { isOperationName, operations } from '@tessera/contract/operations'

import type { Awaitable } from '../awaitable.ts'
import { wipeCall, type ReadCall } from './reader/call-reader.ts'
import { isEarlier } from './reader/fault.ts'

/** The conditions that end a batch before its last call. */
export interface BatchDeadline {
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal
  /** Resolves after `ms`; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Handles the calls of a batch in order, one after another. A call that has started is finished. When the service stops, or the time of the batch is
 * over, or there is no room for more after a reply, the remaining calls are refused, and their card numbers are wiped at once.
 */
export async function handleSequentially<T>(
  calls: readonly ReadCall[],
  { stopping, sleep }: BatchDeadline,
  handle: (call: ReadCall) => Awaitable<T>,
  hasRoomAfter: (reply: T) => boolean = () => true,
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
    const replies: T[] = []
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      const reply = await handle(refuse(call, ended))
      replies.push(reply)
      if (!hasRoomAfter(reply)) end('connectionBusy')
    }
    return replies
  } finally {
    stopping.removeEventListener('abort', stop)
    finished.abort()
    waiting.forEach(wipeCall)
  }
}

/** Whether handling the call needs its card numbers. A refusal does not. */
function needsCardNumbers({ method, withheld, requestFault, paramsFault }: ReadCall): boolean {
  if (method === null || !isOperationName(method) || requestFault !== null || paramsFault !== null) return false
  return 'card' in operations[method].params.properties || withheld.length > 0
}

/** Keeps a fault of the call that comes earlier in the table of errors. */
function refuse(call: ReadCall, entry: ErrorName | null): ReadCall {
  return entry !== null && isEarlier(entry, call.requestFault) ? { ...call, requestFault: { entry } } : call
}
