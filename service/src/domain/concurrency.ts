import { RpcError } from '@tessera/contract/errors'

/**
 * Runs a read-change-write until no other change came between, at most five times. `attempt` returns null when it lost the race; it reads the
 * row anew each time, so its checks hold for the row that it changes. Throws `overloaded` (retryable) after five lost races: cardholder,
 * merchant and background jobs may change one row concurrently, but not that often.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | null>): Promise<T> {
  for (let races = 0; races < maxLostRaces; races++) {
    const result = await attempt()
    if (result !== null) return result
  }
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}

const maxLostRaces = 5
