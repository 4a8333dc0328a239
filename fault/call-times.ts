import { percentile } from './statistics.ts'

export const faultPhases = ['before', 'during', 'after'] as const
/** Relative to a fault. */
export type FaultPhase = (typeof faultPhases)[number]

/** How long the calls of a load took before, during and after each fault of a run. */
export interface CallTimes {
  faultBegins(): void
  faultEnds(): void
  /** Adds a call that has just ended, after `ms`. */
  add(ms: number): void
  /** `p99_before_ms`, `p99_during_ms`, `p99_after_ms`; a phase without calls has none. */
  metrics(): Record<string, number>
}

/**
 * A call belongs to a fault when it was in progress at any moment of it, and to the time after one when it was sent within `afterMs` of its end. The rest
 * is before: of several faults, each has the calm after the one before it.
 */
export function makeCallTimes(afterMs = 1000, now = (): number => performance.now()): CallTimes {
  const ms: Record<FaultPhase, number[]> = { before: [], during: [], after: [] }
  const faults: { readonly beganAt: number; endedAt: number }[] = []

  function phaseOf(sentAt: number): FaultPhase {
    const last = faults.findLast(({ beganAt }) => beganAt <= now())
    if (last === undefined) return 'before'
    if (sentAt <= last.endedAt) return 'during'
    return sentAt <= last.endedAt + afterMs ? 'after' : 'before'
  }

  return {
    faultBegins: () => void faults.push({ beganAt: now(), endedAt: Infinity }),
    faultEnds() {
      const last = faults.at(-1)
      if (last !== undefined) last.endedAt = Math.min(last.endedAt, now())
    },
    add: (took) => void ms[phaseOf(now() - took)].push(took),
    metrics: () =>
      Object.fromEntries(
        faultPhases.filter((phase) => ms[phase].length > 0).map((phase) => [`p99_${phase}_ms`, percentile(ms[phase], 0.99)]),
      ),
  }
}
