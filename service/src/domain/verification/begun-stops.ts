import type { StopSubject } from '../../store/verification-stops.ts'

/**
 * Remembers the stops that began in this process. The counts in the database have no MAC: without this, somebody who writes the database could end a stop
 * (docs/decisions/0035-bound-rows.md).
 */
export interface BegunStops {
  record(subjects: readonly StopSubject[], endsAt: number): void
  /** A later code of these subjects was evaluated, so an earlier stop is over, whatever a clock says that was set back since. */
  forget(subjects: readonly StopSubject[]): void
  /** Milliseconds until the last of these stops is over; 0 when there is none. */
  waitMs(subjects: readonly StopSubject[], now: number): number
}

export function makeBegunStops(): BegunStops {
  const ends = new Map<string, number>()
  return Object.freeze({
    record(subjects: readonly StopSubject[], endsAt: number): void {
      for (const subject of subjects) {
        const name = nameOf(subject)
        ends.delete(name)
        // The stop that began first is forgotten, so that the memory is bounded.
        for (const oldest of ends.keys()) {
          if (ends.size < maxStops) break
          ends.delete(oldest)
        }
        ends.set(name, endsAt)
      }
    },
    forget(subjects: readonly StopSubject[]): void {
      for (const subject of subjects) ends.delete(nameOf(subject))
    },
    waitMs: (subjects: readonly StopSubject[], now: number) =>
      Math.max(0, ...subjects.map((subject) => (ends.get(nameOf(subject)) ?? 0) - now)),
  })
}

function nameOf({ keyId, subject }: StopSubject): string {
  return `${keyId} ${Buffer.from(subject).toString('hex')}`
}

const maxStops = 100_000
