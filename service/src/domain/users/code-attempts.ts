/**
 * The codes of second factors that this process evaluated, in memory. The counts in the database have no MAC: without these, somebody who writes the
 * database could reset them between two guesses (docs/decisions/0035-bound-rows.md).
 */
export interface CodeAttempts {
  /** Counts a code of a user before it is evaluated; false when as many were wrong as are allowed. */
  claim(userId: string, now: number): boolean
  /** The code was right: the count starts anew. */
  reset(userId: string): void
  /** Remembers the step of an accepted code; false when this step or a later one was accepted before. */
  acceptStep(userId: string, step: number): boolean
}

export function makeCodeAttempts({ maxAttempts, lockMs }: { readonly maxAttempts: number; readonly lockMs: number }): CodeAttempts {
  const counts = new Map<string, { wrong: number; endsAt: number }>()
  const steps = new Map<string, number>()
  return Object.freeze({
    claim(userId: string, now: number) {
      const known = counts.get(userId)
      const count = known === undefined || known.endsAt <= now ? { wrong: 0, endsAt: 0 } : known
      if (count.wrong >= maxAttempts) return false
      count.wrong += 1
      count.endsAt = now + lockMs
      remember(counts, userId, count)
      return true
    },
    reset(userId: string) {
      counts.delete(userId)
    },
    acceptStep(userId: string, step: number) {
      if (step <= (steps.get(userId) ?? 0)) return false
      remember(steps, userId, step)
      return true
    },
  })
}

/** Keeps the users of the latest codes; each of them had a right password or a session. */
function remember<T>(map: Map<string, T>, userId: string, value: T): void {
  map.delete(userId)
  map.set(userId, value)
  if (map.size > maxUsers) for (const oldest of [...map.keys()].slice(0, maxUsers / 2)) map.delete(oldest)
}

const maxUsers = 20_000
