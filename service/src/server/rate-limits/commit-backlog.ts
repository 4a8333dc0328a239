/** The writes that wait for the store, as far as admission needs to know. */
export interface CommitBacklog {
  /** A write was handed to the store. */
  writeStarted(): void
  /** It ended, successfully or not. */
  writeEnded(): void
  /** Whether one more write would wait too long: more are waiting than the store completes in that time. */
  isTooLong(): boolean
}

export interface CommitBacklogOptions {
  /** The longest that a write should wait. */
  readonly waitMs: number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/**
 * Estimates how long a new write would wait: those that are waiting, divided by how many the store completes per millisecond. Its speed is measured only
 * while a queue stands, because an idle store completes few writes too, and is remembered for the next queue. A single slow write stops nobody.
 */
export function makeCommitBacklog({ waitMs, now }: CommitBacklogOptions): CommitBacklog {
  let pending = 0
  let ended = 0
  let windowStartedAt: number | null = null
  /** Writes per millisecond. Infinity: not measured. */
  let speed = Infinity
  let measuredAt = -Infinity

  function measure(at: number): void {
    if (windowStartedAt === null || at - windowStartedAt < windowMs) return
    const measured = ended / (at - windowStartedAt)
    speed = speed === Infinity || speed === 0 ? measured : (speed + measured) / 2
    measuredAt = at
    windowStartedAt = at
    ended = 0
  }

  return Object.freeze<CommitBacklog>({
    writeStarted() {
      pending++
      if (pending !== leastQueue) return
      windowStartedAt = now()
      ended = 0
      if (windowStartedAt - measuredAt > rememberedMs) speed = Infinity
    },
    writeEnded() {
      pending--
      ended++
      if (pending >= leastQueue) return
      windowStartedAt = null
      // A store that stood still is no measure of how fast it is when it goes on.
      if (speed === 0) speed = Infinity
    },
    isTooLong() {
      if (pending < leastQueue) return false
      measure(now())
      return pending > speed * waitMs
    },
  })
}

/** Fewer writes are no queue: a store takes as many in one group. */
const leastQueue = 32
/** Bursts that are shorter pass, and a group commit of a slow disk fits in. */
const windowMs = 250
const rememberedMs = 10_000
