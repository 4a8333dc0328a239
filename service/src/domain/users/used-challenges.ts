/** The challenges of registrations that this process accepted. A registration also ends with an insert that can succeed once. */
export interface UsedChallenges {
  /** False when it was used before. */
  add(challenge: string, now: number): boolean
}

export function makeUsedChallenges(): UsedChallenges {
  const used = new Map<string, number>()
  return Object.freeze({
    add(challenge: string, now: number) {
      for (const [each, usedAt] of used) {
        if (now - usedAt < challengeLifetimeMs) break
        used.delete(each)
      }
      if (used.has(challenge)) return false
      used.set(challenge, now)
      return true
    },
  })
}

export const challengeLifetimeMs = 5 * 60_000
