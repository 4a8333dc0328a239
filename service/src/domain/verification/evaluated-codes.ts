/**
 * Counts the evaluated codes of this process in memory. The counts in the database have no MAC: without these, somebody who writes the database could
 * reset them between two guesses (docs/decisions/0035-bound-rows.md).
 */
export interface EvaluatedCodes {
  /** Counts one evaluation for each of the caps, or for none of them: then it returns the cap that is used up. */
  claim(caps: readonly CodeCap[], now: number): CodeCap | null
  /** Takes an evaluation back that did not take place. */
  release(caps: readonly CodeCap[]): void
}

export interface CodeCap {
  /** What is counted: a code, or a card number on a day. */
  readonly subject: string
  readonly max: number
  /** When the count may be forgotten, unix milliseconds. */
  readonly endsAt: number
}

export function makeEvaluatedCodes(): EvaluatedCodes {
  const counts = new Map<string, { count: number; endsAt: number }>()
  return Object.freeze({ claim, release })

  function claim(caps: readonly CodeCap[], now: number): CodeCap | null {
    if (counts.size >= maxSubjects) forgetEnded(now)
    const usedUp = caps.find(({ subject, max }) => (counts.get(subject)?.count ?? 0) >= max)
    if (usedUp !== undefined) return usedUp
    for (const { subject, endsAt } of caps) {
      const found = counts.get(subject)
      if (found === undefined) counts.set(subject, { count: 1, endsAt })
      else found.count += 1
    }
    return null
  }

  function release(caps: readonly CodeCap[]): void {
    for (const { subject } of caps) {
      const found = counts.get(subject)
      if (found !== undefined) found.count -= 1
    }
  }

  /** When all are in force, the oldest half is forgotten, so that the memory is bounded. */
  function forgetEnded(now: number): void {
    for (const [subject, { endsAt }] of counts) if (endsAt <= now) counts.delete(subject)
    if (counts.size < maxSubjects) return
    for (const subject of [...counts.keys()].slice(0, maxSubjects / 2)) counts.delete(subject)
  }
}

const maxSubjects = 200_000
