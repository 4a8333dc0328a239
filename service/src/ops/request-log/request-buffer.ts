import type { RequestCaller } from '../../store/request-segments.ts'

import type { EncodedRow } from './request-row.ts'
import { segmentRowsMax, WaitingSegment } from './waiting-segment.ts'

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
 * calls that the merchant's server makes. When a room is full, its oldest segment is dropped and its records are counted.
 */
export interface RequestBuffer {
  add(row: EncodedRow): void
  /** Removes and returns the oldest records, about as many as `count`: those of servers first, then of browsers, then refused ones. */
  take(count: number): WaitingSegment[]
  /** Returns records that could not be written to the front; those that no longer fit are dropped and counted. */
  putBack(segments: readonly WaitingSegment[]): void
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
  const queues = callers.map((caller) => new RequestQueue(budgets[caller].waitingMax, loseSegment))
  const queueOf = Object.fromEntries(callers.map((caller, i) => [caller, queues[i]])) as Record<RequestCaller, RequestQueue>
  const minutes = new MinuteCounts()
  const losses = new Map<string, RequestLoss>()
  const droppedCounts = new Map<string, DroppedCalls>()
  return Object.freeze<RequestBuffer>({
    add(row) {
      if (minutes.count(row) > budgets[row.caller].minuteMax) loseRow(row)
      else queueOf[row.caller].push(row)
    },
    take(count) {
      const taken: WaitingSegment[] = []
      let left = count
      for (const queue of queues)
        for (const segment of queue.take(left)) {
          taken.push(segment)
          left -= segment.calls
        }
      return taken
    },
    putBack(segments) {
      for (const caller of callers) queueOf[caller].putBack(segments.filter((each) => each.caller === caller))
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

  function loseRow({ merchantId, bucket, caller, at, requestId }: EncodedRow): void {
    lose({ merchantId, bucket, caller, reason: 'minute_budget', count: 1, from: at, to: at, requestId })
  }

  function loseSegment({ merchantId, bucket, caller, calls, firstAt, lastAt, lastId }: WaitingSegment): void {
    lose({ merchantId, bucket, caller, reason: 'store_slow', count: calls, from: firstAt, to: lastAt, requestId: lastId })
  }

  function lose(loss: RequestLoss): void {
    const { caller, reason, count } = loss
    const key = `${caller} ${reason}`
    droppedCounts.set(key, { caller, reason, count: (droppedCounts.get(key)?.count ?? 0) + count })
    addLoss(loss)
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

/** Segments in the order in which they were begun. Drops the oldest when there is no room for another record. */
class RequestQueue {
  length = 0
  #segments: WaitingSegment[] = []
  /** Those that take more rows, by merchant. */
  readonly #open = new Map<string, WaitingSegment>()
  #last: WaitingSegment | null = null
  readonly #max: number
  readonly #rowsMax: number
  readonly #lose: (segment: WaitingSegment) => void

  constructor(max: number, lose: (segment: WaitingSegment) => void) {
    this.#max = max
    // A segment that is dropped is a fiftieth of the room at most.
    this.#rowsMax = Math.max(1, Math.min(segmentRowsMax, Math.floor(max / 50)))
    this.#lose = lose
  }

  push(row: EncodedRow): void {
    if (this.length >= this.#max) this.#dropOldest()
    this.#segmentOf(row).add(row)
    this.length++
  }

  take(count: number): WaitingSegment[] {
    let [taken, end] = [0, 0]
    for (; taken < count && end < this.#segments.length; end++) taken += this.#segments[end]?.calls ?? 0
    this.length -= taken
    const segments = this.#segments.splice(0, end)
    for (const segment of segments) this.#close(segment)
    return segments
  }

  putBack(segments: readonly WaitingSegment[]): void {
    this.#segments = [...segments, ...this.#segments]
    for (const { calls } of segments) this.length += calls
    while (this.length > this.#max) this.#dropOldest()
  }

  #segmentOf(row: EncodedRow): WaitingSegment {
    // Nearly every call is of the merchant, caller and hour of the one before it.
    if (this.#last !== null && this.#last.calls < this.#rowsMax && this.#last.takes(row)) return this.#last
    const known = this.#open.get(row.merchantId)
    if (known !== undefined && known.calls < this.#rowsMax && known.takes(row)) return (this.#last = known)
    const begun = new WaitingSegment(row)
    this.#segments.push(begun)
    this.#open.set(row.merchantId, begun)
    return (this.#last = begun)
  }

  #dropOldest(): void {
    const oldest = this.#segments.shift()
    if (oldest === undefined) return
    this.#close(oldest)
    this.length -= oldest.calls
    this.#lose(oldest)
  }

  /** Whatever is taken or dropped gets no more rows. The others stay open: each segment is a row of the store, and memory of its own. */
  #close(segment: WaitingSegment): void {
    if (this.#open.get(segment.merchantId) === segment) this.#open.delete(segment.merchantId)
    if (this.#last === segment) this.#last = null
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
