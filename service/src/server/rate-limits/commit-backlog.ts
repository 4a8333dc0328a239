import { allocateWaitingWrites, makeWaitingWrites, type WriteCounts } from './waiting-writes.ts'

/** The writes that wait for the store, as far as admission needs to know. */
export interface CommitBacklog {
  /** A write was handed to the store. `owner`: whose share of the queue it takes; null: nobody's. */
  writeStarted(owner: string | null): void
  /** It ended, successfully or not. */
  writeEnded(owner: string | null): void
  /** Whether one more write would wait too long: more are waiting than the store completes in that time. */
  isTooLong(): boolean
  /** Whether an owner has its share of a queue that may not get longer: others would be refused for the writes of one. */
  isShareTaken(owner: string): boolean
}

export interface CommitBacklogOptions {
  /** The longest that a write should wait. */
  readonly waitMs: number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** What all workers of the process count in (`allocateWaitingWrites`), and the number of this one, from 0. Default: there is one. */
  readonly memory?: SharedArrayBuffer
  readonly worker?: number
}

/**
 * Estimates how long a new write would wait: those that are waiting, divided by how many the store completes per millisecond. Its speed is measured only
 * while a queue stands, because an idle store completes few writes too, and is remembered for the next queue. A single slow write stops nobody.
 *
 * All workers of a process have one queue before the embedded store, and together one before PostgreSQL. There each has its own connections too, so a
 * worker whose own queue is too long refuses by itself (docs/decisions/0126-one-queue-of-workers.md).
 */
export function makeCommitBacklog({ waitMs, now, memory = allocateWaitingWrites(1), worker = 0 }: CommitBacklogOptions): CommitBacklog {
  const writes = makeWaitingWrites(memory, worker)
  const all = makeQueueEstimate({ counts: writes.all, least: leastQueue, waitMs, now })
  const own = makeQueueEstimate({ counts: writes.own, least: Math.ceil(leastQueue / writes.workers), waitMs, now })
  const queues = writes.workers === 1 ? [all] : [all, own]
  const look = (): void => queues.forEach((queue) => queue.look())

  return Object.freeze<CommitBacklog>({
    writeStarted(owner) {
      writes.started(owner)
      look()
    },
    writeEnded(owner) {
      writes.ended(owner)
      look()
    },
    isTooLong() {
      look()
      return queues.some((queue) => queue.isTooLong())
    },
    // As many as are free: one merchant that is alone gets a half of the queue, and each of two a third.
    isShareTaken(owner) {
      look()
      return writes.waitingOf(owner) > all.freePlaces()
    },
  })
}

interface QueueEstimate {
  /** Has to be called whenever something may have changed. */
  look(): void
  isTooLong(): boolean
  /** How many more writes may wait; Infinity while the speed of the store is not known. */
  freePlaces(): number
}

interface QueueOptions extends Pick<CommitBacklogOptions, 'waitMs' | 'now'> {
  readonly counts: WriteCounts
  /** Fewer waiting writes are never too many. */
  readonly least: number
}

function makeQueueEstimate({ counts, least, waitMs, now }: QueueOptions): QueueEstimate {
  let window: { readonly startedAt: number; readonly ended: number } | null = null
  /** Writes per millisecond. Infinity: not measured. */
  let speed = Infinity
  let measuredAt = -Infinity

  function look(): void {
    const waiting = counts.waiting()
    const isQueue = waiting * (window === null ? startShare : endShare) >= least
    if (window === null && !isQueue && speed === Infinity) return
    const at = now()
    if (window === null) {
      if (at - measuredAt > rememberedMs) speed = Infinity
      if (isQueue) window = { startedAt: at, ended: counts.ended() }
    } else if (!isQueue) {
      window = null
      // A store that stood still is no measure of how fast it is when it goes on.
      if (speed === 0) speed = Infinity
    } else if (at - window.startedAt >= windowMs) {
      const measured = ((counts.ended() - window.ended) | 0) / (at - window.startedAt)
      speed = speed === Infinity || speed === 0 ? measured : (speed + measured) / 2
      measuredAt = at
      window = { startedAt: at, ended: counts.ended() }
    }
  }

  return {
    look,
    isTooLong() {
      const waiting = counts.waiting()
      return waiting >= least && waiting > speed * waitMs
    },
    freePlaces: () => Math.max(least, speed * waitMs) - counts.waiting(),
  }
}

/** Fewer writes are no queue: a store takes as many in one group. */
const leastQueue = 32
/** The speed is measured from a half of that on, to be known in time, and down to an eighth: a merchant that is alone does not get a whole queue. */
const startShare = 2
const endShare = 8
/** Bursts that are shorter pass, and a group commit of a slow disk fits in. */
const windowMs = 250
const rememberedMs = 10_000
