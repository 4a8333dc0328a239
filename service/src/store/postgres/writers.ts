import type { Answer, Ask, UnitName, Write } from '../questions/units.ts'
import { StoreOverloaded, StoreUnavailable } from '../store.ts'
import type { Slot } from './slot.ts'
import { TransactionFailed } from './transaction.ts'

/** Feeds the writer slots from one bounded queue. */
export interface Writers {
  write<N extends UnitName>(name: N, ask: Ask<N>): Promise<Answer<N>>
  close(deadlineMs: number): Promise<void>
}

interface Waiting {
  readonly write: Write
  readonly since: number
  readonly resolve: (answer: never) => void
  readonly reject: (err: unknown) => void
}

type Insert = Waiting & { readonly write: Extract<Write, { name: 'insertCard' }> }

export function makeWriters(slots: readonly Slot[]): Writers {
  const idle = [...slots]
  // New cards without riders wait apart: all that wait go into one transaction.
  const inserts: Insert[] = []
  const others: Waiting[] = []
  let scheduled = false
  let closing: (() => void) | null = null
  let watch: NodeJS.Timeout | null = null
  let doneAt = 0

  return { write, close }

  function write<N extends UnitName>(name: N, ask: Ask<N>): Promise<Answer<N>> {
    if (closing !== null) return Promise.reject(new StoreUnavailable('the store is closed'))
    if (inserts.length + others.length >= WAITING_MAX) return Promise.reject(new StoreOverloaded(`${WAITING_MAX} writes are waiting`))
    return new Promise<Answer<N>>((resolve, reject) => {
      // The name and what is asked belong together by this function's type.
      const waiting = { write: { name, ask } as Write, since: performance.now(), resolve, reject } as Waiting
      if (isInsert(waiting)) inserts.push(waiting)
      else others.push(waiting)
      watch ??= setInterval(refuseLate, WATCH_MS).unref()
      if (scheduled) return
      // At the end of this turn, so that all its new cards are one transaction.
      scheduled = true
      setImmediate(() => {
        scheduled = false
        give()
      })
    })
  }

  /** Gives the idle slots what has waited longest. */
  function give(): void {
    for (let slot = idle.pop(); slot !== undefined; slot = idle.pop()) {
      const job = take()
      if (job === null) {
        idle.push(slot)
        break
      }
      void runJob(slot, job, () => (doneAt = performance.now())).then(() => {
        idle.push(slot)
        give()
        if (idle.length === slots.length && inserts.length + others.length === 0) closing?.()
      })
    }
    if (watch !== null && inserts.length + others.length === 0) {
      clearInterval(watch)
      watch = null
    }
  }

  function take(): readonly Waiting[] | null {
    const [insert, other] = [inserts[0], others[0]]
    if (insert !== undefined && (other === undefined || insert.since <= other.since)) return inserts.splice(0, INSERTS_MAX)
    return other === undefined ? null : others.splice(0, 1)
  }

  /** A queue that moves may be waited in; one that stands still is a server that does not answer. */
  function refuseLate(): void {
    const waitMs = performance.now() - doneAt > STILL_MS ? STILL_MS : WAIT_MAX_MS
    const before = performance.now() - waitMs
    for (const queue of [inserts, others]) {
      const inTime = queue.findIndex(({ since }) => since >= before)
      for (const { reject } of queue.splice(0, inTime === -1 ? queue.length : inTime)) {
        reject(new StoreUnavailable(`the write waited for ${waitMs} ms`))
      }
    }
    give()
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

/** Never rejects: each write is answered by its own promise. */
async function runJob(slot: Slot, job: readonly Waiting[], done: () => void): Promise<void> {
  if (job.every(isInsert)) return runInserts(slot, job, done)
  for (const { write, resolve, reject } of job) {
    try {
      resolve((await slot.runUnit(write)) as never)
      done()
    } catch (err) {
      reject(err)
    }
  }
}

async function runInserts(slot: Slot, job: readonly Insert[], done: () => void): Promise<void> {
  try {
    await slot.runInserts(job.map(({ write }) => write.ask))
    for (const { resolve } of job) resolve(undefined as never)
    done()
  } catch (err) {
    // One of them cannot be kept: each by itself, so that its neighbours are.
    if (err instanceof TransactionFailed && job.length > 1) for (const each of job) await runInserts(slot, [each], done)
    else for (const { reject } of job) reject(err)
  }
}

function isInsert(waiting: Waiting): waiting is Insert {
  return waiting.write.name === 'insertCard' && waiting.write.ask.riders === null
}

/** More than this wait for a slot: refused. */
const WAITING_MAX = 8192
const INSERTS_MAX = 256
/** Longer than this no write waits for a slot: nothing was done, and the caller may ask again. */
const WAIT_MAX_MS = 5000
/** The same when no write has been done for as long. */
const STILL_MS = 1000
const WATCH_MS = 250
