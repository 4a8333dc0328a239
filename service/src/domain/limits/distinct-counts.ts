/** Counts the distinct values of each subject in a sliding window, in bounded memory. */
export interface DistinctCounts {
  /** Milliseconds until this value is within the limit; 0: now. A value that was counted already always is. */
  waitMs(subject: string, value: string, maxValues: number): number
  count(subject: string, value: string): void
}

export interface DistinctCountsOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** How long a value counts after it was last seen. */
  readonly windowMs: number
  /** Beyond this many subjects the one seen first is dropped. */
  readonly maxSubjects: number
}

/** A subject never has more values than its limit, since a value over the limit is not counted. */
export function makeDistinctCounts({ now, windowMs, maxSubjects }: DistinctCountsOptions): DistinctCounts {
  /** Values by subject, least recently seen first. */
  const subjects = new Map<string, Map<string, number>>()

  function live(subject: string): Map<string, number> | undefined {
    const values = subjects.get(subject)
    for (const [value, seenAt] of values ?? []) {
      if (seenAt + windowMs > now()) break
      values?.delete(value)
    }
    return values
  }

  return Object.freeze({
    waitMs: (subject: string, value: string, valuesMax: number) => {
      const values = live(subject)
      if (values === undefined || values.has(value) || values.size < valuesMax) return 0
      // The wait ends when this value expires.
      const leaving = [...values.values()][values.size - valuesMax] ?? now()
      return leaving + windowMs - now()
    },
    count: (subject: string, value: string) => {
      const values = live(subject) ?? new Map<string, number>()
      values.delete(value)
      values.set(value, now())
      if (!subjects.has(subject) && subjects.size >= maxSubjects) deleteFirst(subjects)
      subjects.set(subject, values)
    },
  })
}

function deleteFirst(subjects: Map<string, unknown>): void {
  for (const subject of subjects.keys()) {
    subjects.delete(subject)
    return
  }
}
