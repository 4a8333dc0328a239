import { type CardChange, insertCard } from '../cards.ts'
import { StoreOverloaded, StoreUnavailable } from '../store.ts'
import type { Transaction, TransactionFunction } from '../transaction.ts'
import { storeTimeLimits } from '../time-limits.ts'
import type { Slot } from './slot.ts'
import { TransactionFailed } from './transaction.ts'
import { writtenObjects } from './written-objects.ts'

/** One bounded queue for all writer slots. */
export interface Writers {
  write<I>(transaction: TransactionFunction<I, unknown>, input: I): Promise<unknown>
  waitingWrites(): number
  close(deadlineMs: number): Promise<void>
}

interface QueuedWrite {
  readonly start: () => Transaction<unknown>
  /** A new card that may be inserted together with others; null for every other transaction. */
  readonly newCard: CardChange | null
  /** The objects that it writes, when it may share a COMMIT with transactions that write others. */
  readonly objects: readonly string[] | null
  /** Set when it has failed together with others, so that it is run alone. */
  isAlone: boolean
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
  /** What the transactions in progress write. */
  const busyObjects = new Set<string>()
  let scheduled = false
  let closing: (() => void) | null = null
  let watch: NodeJS.Timeout | null = null
  let doneAt = 0
  /** When the last writer that was idle got work. */
  let busySince = 0

  return { write, waitingWrites: () => inserts.length + others.length, close }

  function write<I>(transaction: TransactionFunction<I, unknown>, input: I): Promise<unknown> {
    if (closing !== null) return Promise.reject(new StoreUnavailable('the store is closed'))
    if (inserts.length + others.length >= maxWaiting) return Promise.reject(new StoreOverloaded(`${maxWaiting} writes are waiting`))
    return new Promise((resolve, reject) => {
      const waiting: QueuedWrite = {
        start: () => transaction(input),
        newCard: newCardOf(transaction, input),
        objects: writtenObjects(transaction, input),
        isAlone: false,
        since: performance.now(),
        resolve,
        reject,
      }
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
      if (idle.length === 0) busySince = performance.now()
      void runJob(slot, job, () => (doneAt = performance.now())).then((failed) => {
        for (const { objects } of job) for (const object of objects ?? []) busyObjects.delete(object)
        others.unshift(...failed)
        if (failed.length > 0) startWatch()
        idle.push(slot)
        dispatch()
        if (idle.length === slots.length && inserts.length + others.length === 0) closing?.()
      })
    }
    if (watch !== null && inserts.length + others.length === 0) {
      clearInterval(watch)
      watch = null
    }
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

  /** The write that has waited longest, with those after it that may share its COMMIT. Writes of an object in progress wait until that has ended. */
  function takeShared(): QueuedWrite[] {
    const job: QueuedWrite[] = []
    let isShared = true
    for (let at = 0, seen = 0; at < others.length && seen < maxSearched && job.length < maxShared && isShared; seen++) {
      const next = others[at]
      const isFree = next?.objects?.some((object) => busyObjects.has(object)) !== true
      const mayShare = next !== undefined && next.objects !== null && !next.isAlone
      if (next === undefined || !isFree || (job.length > 0 && !mayShare)) {
        at++
        continue
      }
      job.push(...others.splice(at, 1))
      for (const object of next.objects ?? []) busyObjects.add(object)
      isShared = mayShare
    }
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
    dispatch()
  }

  /** How long writes have been in progress without one being committed; 0 while a writer is idle. */
  function stillForMs(): number {
    return idle.length > 0 ? 0 : performance.now() - Math.max(doneAt, busySince)
  }

  async function close(deadlineMs: number): Promise<void> {
    if (closing !== null) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      closing = resolve
      if (idle.length === slots.length && inserts.length + others.length === 0) resolve()
      else timer = setTimeout(resolve, deadlineMs)
    })
    clearTimeout(timer)
    for (const { reject } of [...inserts.splice(0), ...others.splice(0)]) reject(new StoreUnavailable('the store is closed'))
    await Promise.all(slots.map((slot) => slot.close()))
  }
}

/**
 * Never rejects: each write has its own promise. Returns the writes of a shared COMMIT that have to be repeated, and says of each that may have been the
 * reason that it must not share one again.
 */
async function runJob(slot: Slot, job: readonly QueuedWrite[], done: () => void): Promise<readonly QueuedWrite[]> {
  if (job.every(isInsert)) {
    await runInserts(slot, job, done)
    return []
  }
  try {
    const results = await slot.runTransactions(
      job.map(({ start }) => start),
      deadlineOf(job),
    )
    job.forEach(({ resolve }, at) => resolve(results[at]))
    done()
  } catch (err) {
    if (err instanceof TransactionFailed && job.length > 1) {
      job.forEach((each, at) => (each.isAlone ||= err.rolledBack?.has(at) ?? true))
      return job
    }
    for (const { reject } of job) reject(err)
  }
  return []
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
/** How many waiting writes are looked at for those that may share. */
const maxSearched = 256
const watchIntervalMs = 250
