import type { Clock } from '../../clock.ts'
import { addCounters } from '../../store/counters.ts'
import { type Store, StoreFull, StoreOutcomeUnknown, StoreUnavailable } from '../../store/store.ts'

/** Whether the store can be written, by the outcomes of the service's own writes. */
export interface WriteHealth {
  /** Records a write that is durable, or the error of one that failed. Only errors of the store itself count: an overload is none. */
  record(err: unknown): void
  /** `none`: no write has succeeded since one failed. `some`: writes succeed again, and one failed in the last ten seconds. */
  writable(): 'all' | 'some' | 'none'
  /** Why the last write failed; '' when none did. */
  lastFailure(): string
}

export function makeWriteHealth(clock: Pick<Clock, 'moment'>): WriteHealth {
  let isFailing = false
  let failedAt = -Infinity
  let reason = ''
  return Object.freeze({
    record(err: unknown) {
      if (err === null) isFailing = false
      if (!(err instanceof StoreFull || err instanceof StoreUnavailable || err instanceof StoreOutcomeUnknown)) return
      isFailing = true
      failedAt = clock.moment().monotonicMs
      reason = err.message
    },
    writable() {
      if (isFailing) return 'none'
      return clock.moment().monotonicMs - failedAt < recentMs ? 'some' : 'all'
    },
    lastFailure: () => reason,
  })
}

/** Whether the store can be read, by the outcomes of the service's own reads. */
export interface ReadHealth {
  readStarted(): void
  /** Records why a read failed. Only a store that did not answer counts. */
  record(err: unknown): void
  /** How many reads failed since the first one did, of how many, and why the last one did; null when none did in the last ten seconds. */
  failure(): string | null
}

/** A part of a distributed database may be away while its coordinator, which readiness asks, answers. */
export function makeReadHealth(clock: Pick<Clock, 'moment'>): ReadHealth {
  let reads = 0
  let failed = 0
  /** The reads before the first one that failed, after ten seconds without a failure. */
  let readsBefore = 0
  let failedAt = -Infinity
  let reason = ''
  const isRecent = (): boolean => clock.moment().monotonicMs - failedAt < recentMs
  return Object.freeze({
    readStarted() {
      reads++
    },
    record(err: unknown) {
      if (!(err instanceof StoreUnavailable)) return
      if (!isRecent()) {
        readsBefore = reads - 1
        failed = 0
      }
      failedAt = clock.moment().monotonicMs
      failed++
      reason = err.message
    },
    failure: () => (isRecent() ? `${String(failed)} of ${String(reads - readsBefore)} reads failed: ${reason}` : null),
  })
}

/**
 * Writes one counter that nobody reads, in another bucket each time, so that a store that has failed is seen to work again without a merchant's call.
 * `store` has to record the outcome.
 */
export function makeWriteProbe(store: Pick<Store, 'write'>, clock: Pick<Clock, 'now'>): () => Promise<void> {
  let probes = 0
  return async () => {
    const bucket = (probes++ * bucketStep) % bucketCount
    const counter = { bucket, merchantId: noMerchant, hour: Math.floor(clock.now() / hourMs), name: 'write_probe', count: 1 }
    await store.write(addCounters, { counters: [counter], position: null })
  }
}

const recentMs = 10_000
const hourMs = 3_600_000
const bucketCount = 4096
/** Odd, so that every bucket has its turn, and far from the last one. */
const bucketStep = 1021
const noMerchant = '0'.repeat(24)
