import type { ClockReading } from '../../clock.ts'
import type { DamageCheck } from '../../ops/audit/run-check.ts'
import type { CountBatch } from '../../domain/limits/count-sharing.ts'

/** What one worker has changed in its memory and every other one has to change too, at once. What is in the store is not among them. */
export type ServiceChange =
  /** A merchant's row was changed: what is cached of it is old. */
  | { readonly kind: 'merchant'; readonly merchantId: string }
  /** The state of a data key, or the KEK that wraps one, was changed. */
  | { readonly kind: 'keys' }
  /** Calls and outcomes that limits count. */
  | { readonly kind: 'counts'; readonly batch: CountBatch }
  /** The time of the sandbox was moved. */
  | { readonly kind: 'sandbox_clock'; readonly offsetMs: number }
  /** A merchant of the sandbox simulates the limits since this time; null: no longer. */
  | { readonly kind: 'limit_simulation'; readonly merchantId: string; readonly since: number | null }
  /** PostgreSQL has found its files damaged, or a check of the store has looked. */
  | { readonly kind: 'store_damaged'; readonly message: string }
  | { readonly kind: 'store_checked'; readonly check: DamageCheck }
  /** An operator says that the machine's clock is right. */
  | { readonly kind: 'clock_confirmed'; readonly reading: ClockReading; readonly newestEntryAt: number | null }

/** Tells the other workers of changes, and applies theirs. */
export interface ServiceChanges {
  publish(change: ServiceChange): void
  /** Sets what applies a change of another worker. To be called once. */
  applyWith(apply: (change: ServiceChange) => void): void
}

/** `send` passes a change on to the other workers; `receive` is called with theirs. */
export function makeServiceChanges(send: (change: ServiceChange) => void): ServiceChanges & { receive(change: ServiceChange): void } {
  let apply: ((change: ServiceChange) => void) | null = null
  /** What came while the worker was still being made. */
  const early: ServiceChange[] = []
  let isApplying = false
  return Object.freeze({
    // What is changed because another worker said so is no news.
    publish: (change: ServiceChange) => {
      if (!isApplying) send(change)
    },
    applyWith(applyChange: (change: ServiceChange) => void) {
      apply = applyChange
      early.splice(0).forEach(receive)
    },
    receive,
  })

  function receive(change: ServiceChange): void {
    if (apply === null) {
      early.push(change)
      return
    }
    isApplying = true
    try {
      apply(change)
    } finally {
      isApplying = false
    }
  }
}

/** There is one worker only. */
export const noServiceChanges: ServiceChanges = Object.freeze({ publish: () => undefined, applyWith: () => undefined })
