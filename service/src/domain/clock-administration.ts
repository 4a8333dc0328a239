import type { Clock, ClockReading } from '../clock.ts'
import { findNewestEntryTime, insertAuditEntry } from '../store/audit.ts'
import type { Store } from '../store/store.ts'

import type { ClockGuard, ClockStatus } from './clock-guard.ts'
import type { AuditActor } from './request-context.ts'

/** The clock for operators, and the background job that watches it. */
export interface ClockAdministration {
  status(): ClockStatus
  /**
   * Continues with the clock as it is now; audited before. `comparedMs` is the time that the operator has compared with another clock, unix milliseconds:
   * when the clock is further away from it than five minutes, it is another time that would be confirmed.
   */
  confirm(comparedMs: number, by: AuditActor): Promise<ClockConfirmation>
  /**
   * Compares the clocks, audits a refusal once, records once a minute how far the clock has come, and makes due what a clock that was ahead has postponed:
   * after the clock was set back, and at the start, unless the clock is wrong. Call it once a second.
   */
  runOnce(stopping?: AbortSignal): Promise<void>
  /** Records it for the next start. */
  close(): Promise<void>
}

export type ClockConfirmation = 'confirmed' | 'not_refused' | 'differs'

export interface ClockAdministrationDependencies {
  readonly guard: ClockGuard
  readonly store: Pick<Store, 'read' | 'write'>
  /** The machine's clock. */
  readonly clock: Clock
  /** Whether entries bear the machine's time; not where the time of the sandbox can be moved. */
  readonly areEntriesComparable: boolean
  /** Makes due what a clock that was ahead has postponed. */
  readonly wake: (stopping?: AbortSignal) => Promise<unknown>
}

export function makeClockAdministration(deps: ClockAdministrationDependencies): ClockAdministration {
  const { guard, store, clock, areEntriesComparable, wake } = deps
  let isAudited = false
  let savedAt = clock.moment().monotonicMs
  let last: ClockReading | null = null
  let isWakeNeeded = true
  let wakeAgainAt = 0
  return Object.freeze({
    status: () => guard.status(),
    async confirm(comparedMs: number, by: AuditActor) {
      const { refusal, reading } = guard.status()
      if (refusal === null) return 'not_refused'
      if (Math.abs(reading.wallMs - comparedMs) > maxComparisonMs) return 'differs'
      await audit(by, 'clock.confirmed', refusal.reason)
      // It is repeated later when it fails: one row that cannot be read must not keep the clock refused.
      await wakePostponed().catch(() => undefined)
      await guard.confirm(reading, areEntriesComparable ? await findNewestEntryTime(store) : null)
      isAudited = false
      return 'confirmed'
    },
    async runOnce(stopping?: AbortSignal) {
      const reading = clock.moment()
      if (last !== null && isSetBack(last, reading)) isWakeNeeded = true
      last = reading
      const status = guard.status()
      const { refusal } = status
      if (refusal !== null && !isAudited) {
        isAudited = true
        await audit({ actor: 'system', requestId: '', address: '' }, 'clock.refused', refusal.reason).catch((err: unknown) => {
          isAudited = false
          throw err
        })
      }
      if (reading.monotonicMs - savedAt >= saveEveryMs) {
        savedAt = reading.monotonicMs
        await guard.save()
      }
      if (isWakeNeeded && isRight(status) && reading.monotonicMs >= wakeAgainAt) await wakePostponed(stopping)
    },
    close: () => guard.save(),
  })

  /** Once more when it fails. */
  async function wakePostponed(stopping?: AbortSignal): Promise<void> {
    isWakeNeeded = false
    try {
      await wake(stopping)
    } catch (err) {
      isWakeNeeded = true
      wakeAgainAt = clock.moment().monotonicMs + retryWakeMs
      throw err
    }
  }

  async function audit(by: AuditActor, action: 'clock.refused' | 'clock.confirmed', outcome: string): Promise<void> {
    const { actor, requestId, address } = by
    const entry = { at: clock.now(), actor, action, merchantId: '', subject: 'clock', version: 0, mac: new Uint8Array(0) }
    await store.write(insertAuditEntry, { audit: { ...entry, requestId, address, outcome } })
  }
}

/**
 * Trusted, or set right after a jump that nobody has confirmed yet. A clock that is behind would take for postponed what other processes have just begun,
 * and end their leases.
 */
function isRight({ refusal, driftMs }: ClockStatus): boolean {
  return refusal === null || (refusal.reason === 'jumped' && Math.abs(driftMs) <= minSetBackMs)
}

function isSetBack(before: ClockReading, after: ClockReading): boolean {
  return after.wallMs - before.wallMs < after.monotonicMs - before.monotonicMs - minSetBackMs
}

const saveEveryMs = 60_000
const retryWakeMs = 60_000
/** Between looking at another clock and the confirmation. */
const maxComparisonMs = 300_000
/** Less postpones nothing by more than the waits vary. */
const minSetBackMs = 5000
