import type { Clock } from '../../clock.ts'

/** Why there is no reply: the timeout passed, or the service is stopping. */
export interface TimeoutResult {
  readonly outcome: 'late' | 'stopped'
}

export interface TimeoutOptions {
  readonly clock: Clock
  /** Covers name resolution, connection and reply. */
  readonly timeoutMs: number
}

/** Runs an external call with a timeout and aborts it when the time is over. A reply that has arrived is used even when the service is stopping. */
export async function withTimeout<T extends { readonly outcome: string }>(
  { clock, timeoutMs }: TimeoutOptions,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | TimeoutResult> {
  const ending = new AbortController()
  const isStopped = (): boolean => signal.aborted
  const stop = (): void => ending.abort(new Error('the service stops'))
  signal.addEventListener('abort', stop, { once: true })
  const tooLate = clock.sleep(timeoutMs, ending.signal).then<TimeoutResult, TimeoutResult>(
    () => late,
    () => stopped,
  )
  try {
    if (isStopped()) return stopped
    const done = await Promise.race([work(ending.signal), tooLate])
    return isStopped() && done.outcome !== 'answered' ? stopped : done
  } finally {
    signal.removeEventListener('abort', stop)
    ending.abort(new Error('the attempt is over'))
  }
}

const late: TimeoutResult = Object.freeze({ outcome: 'late' })
const stopped: TimeoutResult = Object.freeze({ outcome: 'stopped' })
