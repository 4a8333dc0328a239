import { RpcError } from '@tessera/contract/errors'

/**
 * Runs a read-change-write until no other change came between, at most five times. `attempt` returns null when it lost the race; it reads the
 * row anew each time, so its checks hold for the row that it changes. After the last lost race it throws `overloaded` (retryable), or returns
 * or throws as `giveUp` does: cardholder, merchant and background jobs may change one row concurrently, but not that often.
 */
export async function retryOnConflict<T>(
  attempt: () => Promise<T | null>,
  { maxAttempts = 5, giveUp = throwOverloaded }: RetryOptions<T> = {},
): Promise<T> {
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    const result = await attempt()
    if (result !== null) return result
  }
  return giveUp()
}

export interface RetryOptions<T> {
  readonly maxAttempts?: number
  readonly giveUp?: () => T
}

function throwOverloaded(): never {
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}
