import type { ClockAdjuster } from '../../adapters/sandbox/adjustable-clock.ts'
import type { ClockGuard } from '../../domain/clock-guard.ts'
import type { CountBatch } from '../../domain/limits/count-sharing.ts'
import type { Log } from '../../ops/logging/log.ts'
import { StoreDamaged } from '../../store/store.ts'

import type { Adapters } from '../adapters.ts'
import type { DamageAlarm } from '../damage-alarm.ts'
import type { ComposedServices } from '../services.ts'

import type { ServiceChange, ServiceChanges } from './service-changes.ts'

/** The adapters, with a time of the sandbox that is moved for all workers. */
export function shareSandboxTime(
  adapters: Adapters,
  changes: ServiceChanges,
): { readonly adapters: Adapters; readonly mover: () => ClockAdjuster | null } {
  let shared: ClockAdjuster | null = null
  const time: Adapters['time'] = (machine) => {
    const { clock, mover } = adapters.time(machine)
    if (mover === null) return { clock, mover }
    shared = {
      offsetMs: () => mover.offsetMs(),
      moveTo(offsetMs) {
        mover.moveTo(offsetMs)
        changes.publish({ kind: 'sandbox_clock', offsetMs })
      },
    }
    return { clock, mover: shared }
  }
  return { adapters: { ...adapters, time }, mover: () => shared }
}

/** The guard, whose confirmation counts for all workers. */
export function shareClockGuard(guard: ClockGuard, changes: ServiceChanges): ClockGuard {
  return {
    ...guard,
    async confirm(reading, newestEntryAt) {
      await guard.confirm(reading, newestEntryAt)
      changes.publish({ kind: 'clock_confirmed', reading, newestEntryAt })
    },
  }
}

/** The alarm, which damage that any worker meets raises in all of them, and a check by any of them may end. */
export function shareDamageAlarm(alarm: DamageAlarm, changes: ServiceChanges): DamageAlarm {
  return {
    ...alarm,
    raise(found) {
      const isNews = alarm.damage() === null
      alarm.raise(found)
      if (isNews) changes.publish({ kind: 'store_damaged', message: found.message })
    },
    checked(check) {
      alarm.checked(check)
      changes.publish({ kind: 'store_checked', check })
    },
  }
}

/** Where the changes of other workers are made. */
export interface ChangedParts {
  readonly services: Pick<ComposedServices, 'merchants' | 'keyring' | 'limits'>
  readonly mover: () => ClockAdjuster | null
  /** Of this worker alone. */
  readonly clockGuard: Pick<ClockGuard, 'confirm'>
  readonly damage: Pick<DamageAlarm, 'raise' | 'checked'>
  readonly log: Pick<Log, 'error'>
  readonly counts: { receive(batch: CountBatch): void }
}

/** Makes a change here that another worker has made. What cannot be done at once is logged: each of them is found by itself within a minute. */
export function applyServiceChange(change: ServiceChange, { services, mover, clockGuard, counts, damage, log }: ChangedParts): void {
  const onFailed = (err: unknown): void => log.error('job_failed', { job: 'worker_change', err })
  switch (change.kind) {
    case 'merchant':
      services.merchants.forget(change.merchantId)
      break
    case 'keys':
      services.keyring.read().catch(onFailed)
      break
    case 'counts':
      counts.receive(change.batch)
      break
    case 'sandbox_clock':
      mover()?.moveTo(change.offsetMs)
      break
    case 'limit_simulation':
      if (change.since === null) services.limits.simulation?.end(change.merchantId)
      else services.limits.simulation?.begin(change.merchantId, change.since)
      break
    case 'store_damaged':
      damage.raise(new StoreDamaged(change.message, ''))
      break
    case 'store_checked':
      damage.checked(change.check)
      break
    case 'clock_confirmed':
      clockGuard.confirm(change.reading, change.newestEntryAt).catch(onFailed)
      break
  }
}
