import type { Problem } from './problem.ts'
import type { CallResult } from './parse-response.ts'
import { sendRequest, type CallRequest } from './send-request.ts'

/**
 * Sends the request until the result is final, `maxRetries` further attempts are used up, or the signal aborts it. Never throws. The call
 * must change nothing or carry an idempotency key: any other may not be sent twice.
 */
export async function sendWithRetries(request: CallRequest, maxRetries: number): Promise<CallResult> {
  for (let retries = 0; ; retries++) {
    const result = await sendRequest(request)
    if (result.ok || !result.problem.isRetryable || retries >= maxRetries) return result
    const delayMs = retryDelayMs(retries, result.problem, Math.random())
    if (delayMs === null) return result
    await sleep(delayMs, request.signal)
  }
}

/**
 * The delay before the next attempt, in milliseconds: what the service asks for and up to a quarter more, so that many clients do not retry
 * at the same moment; otherwise exponential backoff from 200 ms with jitter. Null when the service asks for a longer delay than a call
 * should take: then the caller decides. `random` is in [0, 1).
 */
export function retryDelayMs(retries: number, problem: Problem, random: number): number | null {
  const requestedMs = 'retryAfterMs' in problem ? problem.retryAfterMs : undefined
  if (requestedMs === undefined) return Math.min(firstDelayMs * 2 ** retries, maxDelayMs) * (0.5 + random)
  return requestedMs > maxDelayMs ? null : requestedMs * (1 + random / 4)
}

/** Resolves after `ms`, or as soon as the signal is aborted. */
function sleep(ms: number, signal: AbortSignal | null): Promise<void> {
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

const firstDelayMs = 200
const maxDelayMs = 10_000
