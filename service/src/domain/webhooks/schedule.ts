/** The wait before each attempt, milliseconds: none, then 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, 24 h, 24 h. */
export const retryWaitsMs: readonly number[] = Object.freeze([
  0,
  5000,
  300_000,
  1_800_000,
  ...[2, 5, 10, 10, 24, 24].map((hours) => hours * 3_600_000),
])

/** Attempts per delivery before it is dead. */
export const maxDeliveryAttempts = retryWaitsMs.length

/**
 * The wait before the next attempt, milliseconds; null when no attempt is left. `random` is in [0, 1): each wait varies by ± 20 %, so that
 * deliveries that failed together are not retried together.
 */
export function retryWaitAfter(failedAttempts: number, random: number): number | null {
  const wait = retryWaitsMs[failedAttempts]
  return wait === undefined ? null : Math.round(wait * (1 - jitter + 2 * jitter * random))
}

/** The longest wait that `retryWaitAfter` returns, milliseconds; 0 when no attempt is left. */
export function longestRetryWaitAfter(failedAttempts: number): number {
  return Math.ceil((retryWaitsMs[failedAttempts] ?? 0) * (1 + jitter))
}

const jitter = 0.2
