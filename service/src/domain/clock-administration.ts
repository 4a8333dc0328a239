import type { Clock } from '../clock.ts'
import { findNewestEntryTime, insertAuditEntry } from '../store/audit.ts'
import type { Store } from '../store/store.ts'

import type { ClockGuard, ClockStatus } from './clock-guard.ts'
import type { AuditActor } from './request-context.ts'

/** The clock for operators, and the background job that watches it. */
export interface ClockAdministration {
  status(): ClockStatus
  /** Continues with the clock as it is now; audited before. False when it is trusted already. */
  confirm(by: AuditActor): Promise<boolean>
  /** Compares the clocks, audits a refusal once, and records once a minute how far the clock has come. Call it once a second. */
  runOnce(): Promise<void>
  /** Records it for the next start. */
  close(): Promise<void>
}

export interface ClockAdministrationDependencies {
  readonly guard: ClockGuard
  readonly store: Pick<Store, 'read' | 'write'>
  /** The machine's clock. */
  readonly clock: Clock
  /** Whether entries bear the machine's time; not where the time of the sandbox can be moved. */
  readonly areEntriesComparable: boolean
  /** Makes due what a clock that was ahead has postponed. Before the clock is trusted again, so that a confirmation that fails is repeated. */
  readonly wake: () => Promise<unknown>
}

export function makeClockAdministration(deps: ClockAdministrationDependencies): ClockAdministration {
  const { guard, store, clock, areEntriesComparable, wake } = deps
  let isAudited = false
  let savedAt = clock.moment().monotonicMs
  return Object.freeze({
    status: () => guard.status(),
    async confirm(by: AuditActor) {
      const { refusal } = guard.status()
      if (refusal === null) return false
      await audit(by, 'clock.confirmed', refusal.reason)
      await wake()
      await guard.confirm(areEntriesComparable ? await store.read(findNewestEntryTime()) : null)
      isAudited = false
      return true
    },
    async runOnce() {
      const { refusal } = guard.status()
      if (refusal !== null && !isAudited) {
        isAudited = true
        await audit({ actor: 'system', requestId: '', address: '' }, 'clock.refused', refusal.reason).catch((err: unknown) => {
          isAudited = false
          throw err
        })
      }
      const { monotonicMs } = clock.moment()
      if (monotonicMs - savedAt < saveEveryMs) return
      savedAt = monotonicMs
      await guard.save()
    },
    close: () => guard.save(),
  })

  async function audit(by: AuditActor, action: 'clock.refused' | 'clock.confirmed', outcome: string): Promise<void> {
    const { actor, requestId, address } = by
    const entry = { at: clock.now(), actor, action, merchantId: '', subject: 'clock', version: 0, mac: new Uint8Array(0) }
    await store.write(insertAuditEntry, { audit: { ...entry, requestId, address, outcome } })
  }
}

const saveEveryMs = 60_000
