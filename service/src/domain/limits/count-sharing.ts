import type { DistinctCounts } from './distinct-counts.ts'
import type { RatioBreaker } from './ratio-breaker.ts'
import type { SlidingCounts, Window } from './sliding-counts.ts'

/**
 * Makes the counts of several workers those of one service: what one counts the others count too, within a twentieth of a second. Each kind of counts has a
 * name, the same in every worker.
 */
export interface CountSharing {
  sliding(name: string, counts: SlidingCounts): SlidingCounts
  distinct(name: string, counts: DistinctCounts): DistinctCounts
  ratio(name: string, counts: RatioBreaker): RatioBreaker
  sum(name: string, counts: SharedSum): SharedSum
}

/** What was used up of one maximum, such as the cost of a day. */
export interface SharedSum {
  add(amount: number): void
  total(): number
}

/** There is one worker. */
export const noCountSharing: CountSharing = Object.freeze<CountSharing>({
  sliding: (_name, counts) => counts,
  distinct: (_name, counts) => counts,
  ratio: (_name, counts) => counts,
  sum: (_name, counts) => counts,
})

/** What one worker has counted lately. A subject that was counted several times is one entry. */
export interface CountBatch {
  readonly sliding: readonly {
    readonly name: string
    readonly subject: string
    readonly windows: readonly Window[]
    readonly times: number
  }[]
  readonly distinct: readonly { readonly name: string; readonly subject: string; readonly value: string }[]
  readonly ratio: readonly { readonly name: string; readonly subject: string; readonly isFailure: boolean }[]
  readonly succeeded: readonly { readonly name: string; readonly subject: string; readonly agoMs: number }[]
  readonly sums: readonly { readonly name: string; readonly amount: number }[]
}

export interface CountSharingOptions {
  /** Tells the other workers. */
  readonly send: (batch: CountBatch) => void
  /** Runs something a little later. */
  readonly later: (run: () => void) => void
}

type Mutable<T> = { -readonly [N in keyof T]: T[N] extends readonly (infer E)[] ? E[] : T[N] }

/** `receive` counts what another worker has sent. `sums` has what a worker that is started later has to know. */
export function makeCountSharing({
  send,
  later,
}: CountSharingOptions): CountSharing & { receive(batch: CountBatch): void; sums(): CountBatch } {
  const sliding = new Map<string, SlidingCounts>()
  const distinct = new Map<string, DistinctCounts>()
  const ratio = new Map<string, RatioBreaker>()
  const sums = new Map<string, SharedSum>()
  let batch: Mutable<CountBatch> = emptyBatch()
  let times = new Map<string, { times: number }>()
  let isDue = false
  return Object.freeze({
    sliding(name: string, counts: SlidingCounts): SlidingCounts {
      sliding.set(name, counts)
      return {
        waitMs: counts.waitMs,
        count(subject, windows, added = 1) {
          counts.count(subject, windows, added)
          noteSliding(name, subject, windows, added)
        },
      }
    },
    distinct(name: string, counts: DistinctCounts): DistinctCounts {
      distinct.set(name, counts)
      return {
        waitMs: counts.waitMs,
        count(subject, value) {
          counts.count(subject, value)
          batch.distinct.push({ name, subject, value })
          becomeDue()
        },
      }
    },
    ratio(name: string, counts: RatioBreaker): RatioBreaker {
      ratio.set(name, counts)
      return {
        waitMs: counts.waitMs,
        count(subject, isFailure) {
          counts.count(subject, isFailure)
          batch.ratio.push({ name, subject, isFailure })
          becomeDue()
        },
        markSucceeded(subject, agoMs) {
          counts.markSucceeded(subject, agoMs)
          batch.succeeded.push({ name, subject, agoMs })
          becomeDue()
        },
      }
    },
    sum(name: string, counts: SharedSum): SharedSum {
      sums.set(name, counts)
      return {
        total: counts.total,
        add(amount) {
          counts.add(amount)
          batch.sums.push({ name, amount })
          becomeDue()
        },
      }
    },
    sums(): CountBatch {
      return { ...emptyBatch(), sums: [...sums].map(([name, counts]) => ({ name, amount: counts.total() })) }
    },
    receive(received: CountBatch): void {
      for (const { name, subject, windows, times: added } of received.sliding) sliding.get(name)?.count(subject, windows, added)
      for (const { name, subject, value } of received.distinct) distinct.get(name)?.count(subject, value)
      for (const { name, subject, isFailure } of received.ratio) ratio.get(name)?.count(subject, isFailure)
      for (const { name, subject, agoMs } of received.succeeded) ratio.get(name)?.markSucceeded(subject, agoMs)
      for (const { name, amount } of received.sums) sums.get(name)?.add(amount)
    },
  })

  function noteSliding(name: string, subject: string, windows: readonly Window[], added: number): void {
    const key = `${name} ${subject}`
    const noted = times.get(key)
    if (noted !== undefined) {
      noted.times += added
      return
    }
    const entry = { name, subject, windows, times: added }
    times.set(key, entry)
    batch.sliding.push(entry)
    becomeDue()
  }

  function becomeDue(): void {
    if (isDue) return
    isDue = true
    later(() => {
      isDue = false
      const due = batch
      batch = emptyBatch()
      times = new Map()
      send(due)
    })
  }
}

function emptyBatch(): Mutable<CountBatch> {
  return { sliding: [], distinct: [], ratio: [], succeeded: [], sums: [] }
}
