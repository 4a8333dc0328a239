import { wrongCodeSlices } from '../../store/send-limits.ts'

/**
 * Counts the wrong codes of all cards that this process evaluated, in memory, in the slices of the store: somebody who writes the database could reset the
 * stored count, which has no MAC (docs/decisions/0035-bound-rows.md).
 */
export interface WrongCodes {
  /** `at`: the time of the attempt, unix milliseconds. */
  record(at: number): void
  /** Milliseconds until codes are evaluated again; 0 while fewer than `maxPerHour` were wrong. */
  waitMs(now: number, maxPerHour: number): number
}

export function makeWrongCodes(): WrongCodes {
  /** Counts by the time when a slice expires. */
  const counts = new Map<number, number>()
  return Object.freeze({ record, waitMs })

  function record(at: number): void {
    const endsAt = wrongCodeSlices.endOf(at)
    counts.set(endsAt, (counts.get(endsAt) ?? 0) + 1)
  }

  function waitMs(now: number, maxPerHour: number): number {
    for (const endsAt of counts.keys()) if (endsAt <= now) counts.delete(endsAt)
    let sum = 0
    const counted = [...counts.keys()].filter((endsAt) => endsAt <= wrongCodeSlices.lastEndOf(now))
    for (const endsAt of counted) sum += counts.get(endsAt) ?? 0
    return sum < maxPerHour ? 0 : Math.max(1, Math.min(...counted) - now)
  }
}
