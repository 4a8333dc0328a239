/** Counts the distinct values of each subject in a sliding period, in bounded memory. */
export interface DistinctCounts {
  /** How long until this value fits beside the others, in milliseconds; 0: now. A value that is there already always fits. */
  waitMs(subject: string, value: string, valuesMax: number): number
  count(subject: string, value: string): void
}

export interface DistinctCountsOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** How long a value counts after it was last seen. */
  readonly spanMs: number
  /** With more subjects the one first seen is forgotten. */
  readonly subjectsMax: number
}

/** A subject never holds more values than it is allowed, since one that does not fit is not counted. */
export function makeDistinctCounts({ now, spanMs, subjectsMax }: DistinctCountsOptions): DistinctCounts {
  /** Values by subject, the longest unseen first. */
  const subjects = new Map<string, Map<string, number>>()

  function live(subject: string): Map<string, number> | undefined {
    const values = subjects.get(subject)
    for (const [value, seenAt] of values ?? []) {
      if (seenAt + spanMs > now()) break
      values?.delete(value)
    }
    return values
  }

  return Object.freeze({
    waitMs: (subject: string, value: string, valuesMax: number) => {
      const values = live(subject)
      if (values === undefined || values.has(value) || values.size < valuesMax) return 0
      // One more has to expire than are too many.
      const leaving = [...values.values()][values.size - valuesMax] ?? now()
      return leaving + spanMs - now()
    },
    count: (subject: string, value: string) => {
      const values = live(subject) ?? new Map<string, number>()
      values.delete(value)
      values.set(value, now())
      if (!subjects.has(subject) && subjects.size >= subjectsMax) forgetFirst(subjects)
      subjects.set(subject, values)
    },
  })
}

function forgetFirst(subjects: Map<string, unknown>): void {
  for (const subject of subjects.keys()) {
    subjects.delete(subject)
    return
  }
}
