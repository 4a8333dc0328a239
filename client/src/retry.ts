import type { Problem } from './problem.ts'

/**
 * How long to wait before the next try, in milliseconds: what the service asked for and up to a quarter more, else around 200 ms doubling,
 * so that many clients spread. Null: it asks for longer than a call should hang; that is the caller's to decide. `random` is in [0, 1).
 */
export function pauseMs(tried: number, problem: Problem, random: number): number | null {
  const askedMs = 'retryAfterMs' in problem ? problem.retryAfterMs : undefined
  if (askedMs === undefined) return Math.min(FIRST_PAUSE_MS * 2 ** tried, PAUSE_MS_MAX) * (0.5 + random)
  return askedMs > PAUSE_MS_MAX ? null : askedMs * (1 + random / 4)
}

/** Resolves after `ms`, or at once when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
    if (signal?.aborted === true) done()
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}

const FIRST_PAUSE_MS = 200
const PAUSE_MS_MAX = 10_000
