import type { Clock } from '../clock.ts'

/** Why there is no answer: it did not come in time, or the service stops. */
export interface Ended {
  readonly outcome: 'late' | 'stopped'
}

export interface TimeParts {
  readonly clock: Clock
  /** For name, connection and reply together. */
  readonly timeoutMs: number
}

/** Does something with the outside within a time; what is under way then is cut off. An answer that came stands, also when the service stops. */
export async function inTime<T extends { readonly outcome: string }>(
  { clock, timeoutMs }: TimeParts,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | Ended> {
  const ending = new AbortController()
  const isStopped = (): boolean => signal.aborted
  const stop = (): void => ending.abort(new Error('the service stops'))
  signal.addEventListener('abort', stop, { once: true })
  const tooLate = clock.sleep(timeoutMs, ending.signal).then<Ended, Ended>(
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

const late: Ended = Object.freeze({ outcome: 'late' })
const stopped: Ended = Object.freeze({ outcome: 'stopped' })
