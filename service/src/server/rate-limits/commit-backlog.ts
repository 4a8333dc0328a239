import { LinkedList, type LinkedListNode } from '../linked-list.ts'
import { allocateWaitingWrites, makeWaitingWrites, type WaitingWrites, type WriteCounts } from './waiting-writes.ts'

/** The writes that wait for the store, as far as admission needs to know. */
export interface CommitBacklog {
  /**
   * Takes a place for the first write of a call, so that calls that are begun in one turn of the event loop count before they write. Null: the call is
   * refused, because its write would wait too long or its owner has its share.
   */
  takePlace(owner: string): WritePlace | null
  /** A write was handed to the store. `owner`: whose share of the queue it takes; null: nobody's. */
  writeStarted(owner: string | null): void
  /** It ended, successfully or not. */
  writeEnded(owner: string | null): void
  /** Whether one more write would wait too long: more are waiting than the store completes in that time. */
  isTooLong(): boolean
  /** Whether an owner has its share of a queue that may not get longer: others would be refused for the writes of one. */
  isShareTaken(owner: string): boolean
  /** Writes that were handed to the store and have not ended, of all workers. */
  waitingWrites(): number
}

/** A place in the queue before the store. */
export interface WritePlace {
  /** Gives it back, as its write is handed over or the call has ended; the second time nothing happens. */
  release(): void
}

export interface CommitBacklogOptions {
  /** The longest that a write should wait. */
  readonly waitMs: number
  /** Milliseconds of a monotonic clock that all workers share. */
  readonly now: () => number
  /** What all workers of the process count in (`allocateWaitingWrites`), and the number of this one, from 0. Default: there is one. */
  readonly memory?: SharedArrayBuffer
  readonly worker?: number
}

/**
 * Estimates how long a new write would wait: those that are waiting, divided by how many the store completes per millisecond. Its speed is measured only
 * while a queue stands, because an idle store completes few writes too, and is remembered for the next queue. A single slow write stops nobody.
 *
 * A place counts for `placeMs` at most: after that its call waits for something else, such as a network, and is no work of the store. So a call that never
 * ends costs no place either. Places are in no measure of the speed: they end without a write.
 *
 * All workers of a process have one queue before the embedded store, and together one before PostgreSQL. There each has its own connections too, so a
 * worker whose own queue is too long refuses by itself (docs/decisions/0126-one-queue-of-workers.md).
 */
export function makeCommitBacklog({ waitMs, now, memory = allocateWaitingWrites(1), worker = 0 }: CommitBacklogOptions): CommitBacklog {
  const writes = makeWaitingWrites(memory, worker)
  const all = makeQueueEstimate({ counts: writes.all, least: leastQueue, waitMs, now })
  const own = makeQueueEstimate({ counts: writes.own, least: Math.ceil(leastQueue / writes.workers), waitMs, now })
  const queues = writes.workers === 1 ? [all] : [all, own]
  const places = makePlaces(writes, now)
  const look = (): void => {
    places.expire()
    queues.forEach((queue) => queue.look())
  }
  const isTooLong = (): boolean => queues.some((queue) => queue.isTooLong())
  // As many as are free: one merchant that is alone gets a half of the queue. While others call, a third of what is free within `waitMs`, so that one gets a
  // quarter and each of two a fifth: whoever calls seldom waits for what the others have waiting. Its own few writes are never too many.
  const isShareTaken = (owner: string): boolean => {
    if (!all.isSpeedKnown()) return false
    const isAlone = !writes.isAnotherSeen(owner, { nowMs: now(), ms: rememberedMs })
    return writes.queuedOf(owner) > (isAlone ? all.freePlaces(leastQueue) : Math.max(leastShare, all.freePlaces(0) / 3))
  }

  return Object.freeze<CommitBacklog>({
    takePlace(owner) {
      writes.callerSeen(owner, now())
      look()
      return isTooLong() || isShareTaken(owner) ? null : places.take(owner)
    },
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
      return isTooLong()
    },
    isShareTaken(owner) {
      look()
      return isShareTaken(owner)
    },
    waitingWrites: writes.all.waiting,
  })
}

/** The places of one worker. */
function makePlaces(writes: WaitingWrites, now: () => number) {
  const taken = new LinkedList<TakenPlace>()
  /** For a worker to which no call comes meanwhile. */
  let timer: NodeJS.Timeout | null = null

  function expire(): void {
    if (taken.oldest === null) return
    const before = now() - placeMs
    for (let place = taken.oldest as TakenPlace | null; place !== null && place.takenAt <= before; place = taken.oldest) place.release()
  }

  function startTimer(): void {
    timer ??= setTimeout(() => {
      timer = null
      expire()
      if (taken.oldest !== null) startTimer()
    }, placeMs).unref()
  }

  return {
    expire,
    take(owner: string): WritePlace {
      startTimer()
      return new TakenPlace({ owner, takenAt: now(), writes, places: taken })
    },
  }
}

class TakenPlace implements WritePlace, LinkedListNode<TakenPlace> {
  readonly takenAt: number
  older: TakenPlace | null = null
  newer: TakenPlace | null = null
  readonly #owner: string
  readonly #writes: WaitingWrites
  /** Null: it was given back. */
  #places: LinkedList<TakenPlace> | null

  constructor({ owner, takenAt, writes, places }: TakenPlaceStart) {
    this.takenAt = takenAt
    this.#owner = owner
    this.#writes = writes
    this.#places = places
    places.add(this)
    writes.placeTaken(owner)
  }

  release(): void {
    if (this.#places === null) return
    this.#places.remove(this)
    this.#places = null
    this.#writes.placeReleased(this.#owner)
  }
}

interface TakenPlaceStart {
  readonly owner: string
  readonly takenAt: number
  readonly writes: WaitingWrites
  /** Those that count. */
  readonly places: LinkedList<TakenPlace>
}

interface QueueEstimate {
  /** Has to be called whenever something may have changed. */
  look(): void
  isTooLong(): boolean
  isSpeedKnown(): boolean
  /** How many more writes may wait, in a queue of at least so many. */
  freePlaces(least: number): number
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
      const queued = counts.waiting() + counts.places()
      return queued >= least && queued > speed * waitMs
    },
    isSpeedKnown: () => speed !== Infinity,
    freePlaces: (least) => Math.max(least, speed * waitMs) - counts.waiting() - counts.places(),
  }
}

/** Fewer writes are no queue: a store takes as many in one group. */
const leastQueue = 32
/** With fewer a slow store would be idle between two groups, and a burst of a merchant that calls seldom would be refused. */
const leastShare = 6
/** The speed is measured from a half of that on, to be known in time, and down to an eighth: a merchant that is alone does not get a whole queue. */
const startShare = 2
const endShare = 8
/** Bursts that are shorter pass, and a group commit of a slow disk fits in. */
const windowMs = 250
const rememberedMs = 10_000
/** What a call does before its first write takes some milliseconds, also in a turn of the event loop that begins many. */
const placeMs = 250
