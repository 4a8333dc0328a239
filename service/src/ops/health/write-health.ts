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
