import type { RequestCaller } from '../../store/request-segments.ts'

import type { EncodedRow } from './request-row.ts'

/** `server`: with the right password · `browser`: with the merchant id alone · `unproved`: refused before the caller was known. */
export type { RequestCaller }

/** `minute_budget`: more calls of this kind came in the minute than are recorded · `store_slow`: the store was slower than the calls. */
export type LossReason = 'minute_budget' | 'store_slow'

/** Calls of one merchant, one kind of caller and one minute that were not recorded. */
export interface RequestLoss {
  readonly merchantId: string
  readonly bucket: number
  readonly caller: RequestCaller
  readonly reason: LossReason
  readonly count: number
  readonly from: number
  readonly to: number
  /** The request id of the last lost call. The row of the loss gets this id, so that each loss has its own row. */
  readonly requestId: string
}

/** Calls that were not recorded since the start. */
export interface DroppedCalls {
  readonly caller: RequestCaller
  readonly reason: LossReason
  readonly count: number
}

/**
 * Records that wait to be written. Each kind of caller has room of its own, so that what anyone can send in a merchant's name displaces none of the
 * calls that the merchant's server makes. When a room is full, its oldest record is dropped and counted.
 */
export interface RequestBuffer {
  add(row: EncodedRow): void
  /** Removes and returns the oldest records: those of servers first, then of browsers, then refused ones. */
  take(count: number): EncodedRow[]
  /** Returns records that could not be written to the front; those that no longer fit are dropped and counted. */
  putBack(rows: readonly EncodedRow[]): void
  /** Removes and returns the losses of minutes that are over at `now`; of every minute for Infinity. */
  takeLosses(now: number): RequestLoss[]
  putLossesBack(losses: readonly RequestLoss[]): void
  dropped(): DroppedCalls[]
  waiting(): number
}

export interface CallerBudget {
  /** Records that wait to be written, of all merchants. */
  readonly waitingMax: number
  /** Records of one merchant in one minute. */
  readonly minuteMax: number
}

export type CallerBudgets = Readonly<Record<RequestCaller, CallerBudget>>

export function makeRequestBuffer(budgets: CallerBudgets): RequestBuffer {
  const queues = callers.map((caller) => new RequestQueue(budgets[caller].waitingMax))
  const queueOf = Object.fromEntries(callers.map((caller, i) => [caller, queues[i]])) as Record<RequestCaller, RequestQueue>
  const minutes = new MinuteCounts()
  const losses = new Map<string, RequestLoss>()
  const droppedCounts = new Map<string, DroppedCalls>()
  return Object.freeze<RequestBuffer>({
    add(row) {
      if (minutes.count(row) > budgets[row.caller].minuteMax) lose(row, 'minute_budget')
      else for (const oldest of queueOf[row.caller].push(row)) lose(oldest, 'store_slow')
    },
    take(count) {
      const taken: EncodedRow[] = []
      for (const queue of queues) if (taken.length < count) taken.push(...queue.take(count - taken.length))
      return taken
    },
    putBack(rows) {
      for (const caller of callers) {
        const own = rows.filter((row) => row.caller === caller)
        for (const row of queueOf[caller].putBack(own)) lose(row, 'store_slow')
      }
    },
    takeLosses(now) {
      const taken = [...losses].filter(([, { to }]) => minuteOf(to) < minuteOf(now))
      for (const [key] of taken) losses.delete(key)
      return taken.map(([, loss]) => loss)
    },
    putLossesBack(taken) {
      for (const loss of taken) addLoss(loss)
    },
    dropped: () => [...droppedCounts.values()],
    waiting: () => queues.reduce((sum, { length }) => sum + length, 0),
  })

  function lose({ merchantId, bucket, caller, at, requestId }: EncodedRow, reason: LossReason): void {
    const key = `${caller} ${reason}`
    droppedCounts.set(key, { caller, reason, count: (droppedCounts.get(key)?.count ?? 0) + 1 })
    addLoss({ merchantId, bucket, caller, reason, count: 1, from: at, to: at, requestId })
  }

  function addLoss(loss: RequestLoss): void {
    const key = `${loss.merchantId} ${loss.caller} ${loss.reason} ${String(minuteOf(loss.to))}`
    const existing = losses.get(key)
    // Losses of further merchants are counted by the metric only. Those of servers always have room: a caller needs a password to make one.
    if (existing === undefined && losses.size >= lossesMax && (loss.caller !== 'server' || losses.size >= 2 * lossesMax)) return
    if (existing === undefined) return void losses.set(key, loss)
    const { requestId, to } = loss.to >= existing.to ? loss : existing
    losses.set(key, { ...loss, count: existing.count + loss.count, from: Math.min(existing.from, loss.from), to, requestId })
  }
}

/** A queue that drops its oldest record when it is full. */
class RequestQueue {
  // `#first` is the index of the oldest record; the array is compacted when half of it is empty.
  #slots: EncodedRow[] = []
  #first = 0
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get length(): number {
    return this.#slots.length - this.#first
  }

  /** Returns the records that were dropped. */
  push(row: EncodedRow): EncodedRow[] {
    const dropped = this.length >= this.#max ? this.take(1) : []
    this.#slots.push(row)
    return dropped
  }

  take(count: number): EncodedRow[] {
    const taken = this.#slots.slice(this.#first, this.#first + count)
    this.#first += taken.length
    if (this.#first * 2 > this.#slots.length) {
      this.#slots = this.#slots.slice(this.#first)
      this.#first = 0
    }
    return taken
  }

  /** Returns the records that were dropped: the oldest. */
  putBack(rows: readonly EncodedRow[]): readonly EncodedRow[] {
    const room = Math.max(0, this.#max - this.length)
    const dropped = Math.max(0, rows.length - room)
    this.#slots = [...rows.slice(dropped), ...this.#slots.slice(this.#first)]
    this.#first = 0
    return rows.slice(0, dropped)
  }
}

/** Counts the calls of the current minute, by merchant and kind of caller. Each kind has room of its own, like the queues. */
class MinuteCounts {
  #minute = 0
  readonly #counts = { browser: new Map<string, number>(), unproved: new Map<string, number>() }

  count({ merchantId, caller, at }: EncodedRow): number {
    if (caller === 'server') return 0
    if (minuteOf(at) !== this.#minute) {
      this.#minute = minuteOf(at)
      for (const counts of Object.values(this.#counts)) counts.clear()
    }
    const counts = this.#counts[caller]
    const count = (counts.get(merchantId) ?? 0) + 1
    // Anyone can name a million merchants: further ones have no budget in this minute.
    if (count === 1 && counts.size >= countsMax) return Infinity
    counts.set(merchantId, count)
    return count
  }
}

function minuteOf(at: number): number {
  return Math.floor(at / 60_000)
}

/** In the order in which they are written. */
const callers = ['server', 'browser', 'unproved'] as const satisfies readonly RequestCaller[]
const lossesMax = 1000
const countsMax = 20_000
