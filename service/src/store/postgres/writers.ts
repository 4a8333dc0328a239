import { type CardChange, insertCard } from '../cards.ts'
import { type ConnectionPool, StoreOverloaded, StoreUnavailable } from '../store.ts'
import type { Transaction, TransactionFunction } from '../transaction.ts'
import { storeTimeLimits } from '../time-limits.ts'
import { makeParkedWrites, mergeByAge } from './parked-writes.ts'
import type { Slot } from './slot.ts'
import { TransactionFailed } from './transaction.ts'
import { lockedObjects, sharingGroupOf, writtenObjects, type SharingGroup } from './written-objects.ts'

/** One bounded queue for all writer slots. */
export interface Writers {
  write<I>(transaction: TransactionFunction<I, unknown>, input: I): Promise<unknown>
  waitingWrites(): number
  usage(): ConnectionPool
  close(deadlineMs: number): Promise<void>
}

interface QueuedWrite {
  readonly start: () => Transaction<unknown>
  /** A new card that may be inserted together with others; null for every other transaction. */
  readonly newCard: CardChange | null
  /** The objects that it writes, when it may share a COMMIT with transactions that write others. */
  readonly objects: readonly string[] | null
  /** The objects of which no other write is in progress meanwhile. */
  readonly exclusive: readonly string[]
  /** Set when it has failed together with others, so that it is run alone. */
  isAlone: boolean
  /** How often it has failed together with one whose row was locked. */
  locksMet: number
  readonly group: SharingGroup
  readonly since: number
  readonly resolve: (result: unknown) => void
  readonly reject: (err: unknown) => void
}

type Insert = QueuedWrite & { readonly newCard: CardChange }

export function makeWriters(slots: readonly Slot[]): Writers {
  const idle = [...slots]
  // New cards without events and without an idempotency record have their own queue and are inserted together in one transaction.
  const inserts: Insert[] = []
  const others: QueuedWrite[] = []
  /** By the object of which another write is in progress, or by the rows that other sessions have locked. */
  const parked = makeParkedWrites<QueuedWrite>()
  /** The objects of the writes in progress. */
  const busyObjects = new Set<string>()
  const locked = makeLockedObjects(Math.max(1, slots.length - 1))
  let scheduled = false
  let closing: (() => void) | null = null
  let watch: NodeJS.Timeout | null = null
  let doneAt = 0
  /** When the first write came after there was none. */
  let busySince = 0

  return { write, waitingWrites, usage, close }

  function waitingWrites(): number {
    return inserts.length + others.length + parked.count
  }

  function usage(): ConnectionPool {
    const open = idle.filter(({ isConnected }) => isConnected).length
    return { name: 'writers', inUse: slots.length - idle.length, idle: open, closed: idle.length - open, waiting: waitingWrites() }
  }

  function write<I>(transaction: TransactionFunction<I, unknown>, input: I): Promise<unknown> {
    if (closing !== null) return Promise.reject(new StoreUnavailable('the store is closed'))
    if (waitingWrites() >= maxWaiting) return Promise.reject(new StoreOverloaded(`${maxWaiting} writes are waiting`))
    return new Promise((resolve, reject) => {
      const waiting: QueuedWrite = {
        start: () => transaction(input),
        newCard: newCardOf(transaction, input),
        objects: writtenObjects(transaction, input),
        exclusive: lockedObjects(transaction, input),
        isAlone: false,
        locksMet: 0,
        group: sharingGroupOf(transaction, input),
        since: performance.now(),
        resolve,
        reject,
      }
      if (isAtRest()) busySince = waiting.since
      if (isInsert(waiting)) inserts.push(waiting)
      else others.push(waiting)
      startWatch()
      if (scheduled) return
      // At the end of this turn of the event loop, so that all its new cards are one transaction.
      scheduled = true
      setImmediate(() => {
        scheduled = false
        dispatch()
      })
    })
  }

  /** Hands the writes that have waited longest to the idle slots. */
  function dispatch(): void {
    for (let slot = idle.pop(); slot !== undefined; slot = idle.pop()) {
      const job = nextJob()
      if (job === null) {
        idle.push(slot)
        break
      }
      const wasLocked = job.some(locked.has)
      if (wasLocked) locked.begin()
      void runJob(slot, job, { onDone: () => (doneAt = performance.now()), onLocked: locked.add }).then((failed) => {
        if (wasLocked) locked.end()
        if (wasLocked) mergeByAge(others, parked.release(lockedRows))
        for (const { exclusive } of job) for (const object of exclusive) free(object)
        others.unshift(...failed)
        if (failed.length > 0) startWatch()
        idle.push(slot)
        dispatch()
        if (isAtRest()) closing?.()
      })
    }
    if (watch !== null && waitingWrites() === 0) {
      clearInterval(watch)
      watch = null
    }
  }

  function free(object: string): void {
    busyObjects.delete(object)
    mergeByAge(others, parked.release(object))
  }

  function startWatch(): void {
    watch ??= setInterval(rejectLate, watchIntervalMs).unref()
  }

  function nextJob(): readonly QueuedWrite[] | null {
    const [insert, other] = [inserts[0], others[0]]
    if (insert !== undefined && (other === undefined || insert.since <= other.since)) return inserts.splice(0, maxInserts)
    const shared = takeShared()
    return shared.length > 0 ? shared : inserts.length > 0 ? inserts.splice(0, maxInserts) : null
  }

  /**
   * The write that has waited longest, with those after it that may share its COMMIT: they lock rows in the same order, and have waited about as long, since
   * the deadline of the first is that of all. Writes of an object in progress are parked until that has ended, and those of locked rows until a writer may
   * wait for one: however many they are, the others go on.
   */
  function takeShared(): QueuedWrite[] {
    const job: QueuedWrite[] = []
    const passed: QueuedWrite[] = []
    let isShared = true
    let at = 0
    for (let next = others[at]; next !== undefined && isShared && passed.length < maxSearched; next = others[++at]) {
      if (job.length >= (job.some(hasMetLocks) ? maxSharedAfterLocks : maxShared)) break
      const isLocked = locked.has(next)
      const busy = next.exclusive.find((object) => busyObjects.has(object)) ?? (isLocked && locked.isFull() ? lockedRows : null)
      const mayShare = next.objects !== null && !next.isAlone && !isLocked
      const [first] = job
      if (busy !== null) parked.park(busy, next)
      else if (first !== undefined && !(mayShare && isAlike(first, next))) passed.push(next)
      else {
        job.push(next)
        for (const object of next.exclusive) busyObjects.add(object)
        isShared = mayShare
      }
    }
    others.splice(0, at, ...passed)
    return job
  }

  /** Writes may wait longer while others finish; when none finishes, the server is not responding. */
  function rejectLate(): void {
    const waitMs = stillForMs() > storeTimeLimits.stuckMs ? storeTimeLimits.stuckMs : storeTimeLimits.queueMs
    const before = performance.now() - waitMs
    for (const queue of [inserts, others]) {
      const inTime = queue.findIndex(({ since }) => since >= before)
      for (const { reject } of queue.splice(0, inTime === -1 ? queue.length : inTime)) {
        reject(new StoreUnavailable(`the write waited for ${waitMs} ms`))
      }
    }
    for (const { reject } of parked.removeOlder(before)) reject(new StoreUnavailable(`the write waited for ${waitMs} ms`))
    // Whether a row is still locked is known when a write of it is tried.
    mergeByAge(others, parked.release(lockedRows))
    dispatch()
  }

  /** How long there have been writes without one being committed, also when some of them were tried in vain. */
  function stillForMs(): number {
    return isAtRest() ? 0 : performance.now() - Math.max(doneAt, busySince)
  }

  function isAtRest(): boolean {
    return idle.length === slots.length && waitingWrites() === 0
  }

  async function close(deadlineMs: number): Promise<void> {
    if (closing !== null) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      closing = resolve
      if (isAtRest()) resolve()
      else timer = setTimeout(resolve, deadlineMs)
    })
    clearTimeout(timer)
    const left = [...inserts.splice(0), ...others.splice(0), ...parked.removeOlder(Infinity)]
    for (const { reject } of left) reject(new StoreUnavailable('the store is closed'))
    await Promise.all(slots.map((slot) => slot.close()))
  }
}

/** Objects of which a row was locked by another session, and how many writers wait for such rows: never all of them, when there are several. */
function makeLockedObjects(maxWriters: number) {
  const until = new Map<string, number>()
  let writers = 0
  return {
    /** Whether a write may meet a row that was locked a moment ago. */
    has: ({ exclusive }: QueuedWrite): boolean =>
      until.size > 0 && exclusive.some((object) => (until.get(object) ?? 0) > performance.now()),
    add({ exclusive }: QueuedWrite): void {
      const now = performance.now()
      for (const [object, end] of until) if (end <= now) until.delete(object)
      for (const object of exclusive) until.set(object, now + lockedMs)
    },
    isFull: () => writers >= maxWriters,
    begin: () => {
      writers++
    },
    end: () => {
      writers--
    },
  }
}

interface JobEvents {
  readonly onDone: () => void
  /** The write met a row that another session has locked. */
  readonly onLocked: (write: QueuedWrite) => void
}

/**
 * Never rejects: each write has its own promise. Returns the writes of a shared COMMIT that have to be repeated, and says of each that may have been the
 * reason that it must not share one again.
 */
async function runJob(slot: Slot, job: readonly QueuedWrite[], { onDone, onLocked }: JobEvents): Promise<readonly QueuedWrite[]> {
  if (job.every(isInsert)) {
    await runInserts(slot, job, onDone)
    return []
  }
  try {
    const results = await slot.runTransactions(
      job.map(({ start }) => start),
      { deadline: deadlineOf(job), hasMetLock: job.some(({ locksMet }) => locksMet > 0) },
    )
    job.forEach(({ resolve }, at) => resolve(results[at]))
    onDone()
  } catch (err) {
    if (err instanceof TransactionFailed && job.length > 1) {
      const culprits = job.filter((_each, at) => err.culprits?.has(at) ?? true)
      for (const each of culprits) each.isAlone = true
      if (!err.isLocked) return job
      for (const each of job) each.locksMet++
      if (err.culprits !== null) culprits.forEach(onLocked)
      // Those that wait for nobody go first.
      return [...job.filter((each) => !culprits.includes(each)), ...culprits]
    }
    if (isLockedOut(err)) {
      job.forEach(onLocked)
      // It waited for a moment, as one that shares its COMMIT; now that the row is known to be locked, it waits on one of the writers that may.
      const isFirst = job.every(({ locksMet }) => locksMet === 0)
      for (const each of job) each.locksMet++
      if (isFirst) return job
    }
    for (const { reject } of job) reject(err)
  }
  return []
}

function isLockedOut(err: unknown): boolean {
  return err instanceof Error && err.cause instanceof TransactionFailed && err.cause.isLocked
}

async function runInserts(slot: Slot, job: readonly Insert[], done: () => void): Promise<void> {
  try {
    await slot.insertNewCards(
      job.map(({ newCard }) => newCard),
      deadlineOf(job),
    )
    for (const { resolve } of job) resolve(undefined)
    done()
  } catch (err) {
    // One of them cannot be inserted: each is repeated alone, so that only that one fails.
    if (err instanceof TransactionFailed && job.length > 1) for (const each of job) await runInserts(slot, [each], done)
    else for (const { reject } of job) reject(err)
  }
}

/** The deadline of the write that has waited longest. */
function deadlineOf(job: readonly QueuedWrite[]): number {
  return Math.min(...job.map(({ since }) => since)) + storeTimeLimits.writeMs
}

function isInsert(waiting: QueuedWrite): waiting is Insert {
  return waiting.newCard !== null
}

/** Several of its group wait for locked rows, and each attempt finds one of them: in small groups, most of those that wait for nobody meet none. */
function hasMetLocks({ locksMet }: QueuedWrite): boolean {
  return locksMet > 1
}

/** Whether two writes may share a COMMIT as far as their kind and their age say. */
function isAlike(first: QueuedWrite, next: QueuedWrite): boolean {
  return next.group === first.group && Math.abs(next.since - first.since) <= sharedAgeMs
}

function newCardOf<I>(transaction: TransactionFunction<I, unknown>, input: I): CardChange | null {
  if ((transaction as unknown) !== insertCard) return null
  const change = input as CardChange
  const isAlone = (change.events ?? []).length === 0 && (change.idempotency ?? null) === null
  return isAlone ? change : null
}

/** More waiting writes than this are refused. */
const maxWaiting = 8192
const maxInserts = 256
/** Transactions that share a COMMIT. */
const maxShared = 32
/** The same after two of them, one after the other, were found to wait for a locked row. */
const maxSharedAfterLocks = 4
/** How many waiting writes that may not share are passed over for those that may. */
const maxSearched = 256
/** Why the writes of locked rows are parked, while as many of them are in progress as may be. */
const lockedRows = ''
/** Writes whose waits differ by more do not share a COMMIT. */
const sharedAgeMs = 500
/** How long an object counts as locked. */
const lockedMs = 1000
const watchIntervalMs = 250
