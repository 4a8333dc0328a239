import type { Clock } from '../clock.ts'
import type { DamageCheck } from '../ops/audit/run-check.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { StoreDamaged } from '../store/store.ts'

/** Whether a PostgreSQL server has found its files damaged since this process began to use it. */
export interface DamageAlarm {
  /** Raises the alarm: the service is not ready until it has ended. */
  raise(found: StoreDamaged): void
  /** Ends it: another server is followed. */
  end(): void
  /** What a check of the store found. It ends the alarm when it looked at the whole store, by a method that sees the damage that was found, and found nothing. */
  checked(check: DamageCheck): void
  /** What the server said first; null when nothing is damaged. */
  damage(): string | null
}

/** A log line a minute at most, and a gauge. Damage does not heal by itself, so it does not end with time. */
export function makeDamageAlarm(
  log: Pick<Log, 'error'>,
  metrics: Pick<Metrics, 'registerGauge'>,
  clock: Pick<Clock, 'moment'>,
): DamageAlarm {
  let damage: string | null = null
  let loggedAt = -Infinity
  /** The method that sees the most, of those by which damage was found: one that sees less says nothing about it. */
  let foundBy: DamageCheck['method'] | null = null
  const end = (): void => {
    damage = null
    foundBy = null
    loggedAt = -Infinity
  }
  metrics.registerGauge({
    name: 'tessera_store_damaged',
    help: '1 since the PostgreSQL server has found its files damaged.',
    merge: 'max',
    read: () => (damage === null ? 0 : 1),
  })
  return Object.freeze<DamageAlarm>({
    raise(found) {
      damage ??= found.message
      const now = clock.moment().monotonicMs
      if (now - loggedAt < minuteMs) return
      loggedAt = now
      log.error('store_damaged', { err: found })
    },
    end,
    checked({ method, hasFoundDamage, isSound }) {
      if (hasFoundDamage && depths[method] > depthOf(foundBy)) foundBy = method
      if (isSound && depths[method] >= depthOf(foundBy)) end()
    },
    damage: () => damage,
  })
}

function depthOf(method: DamageCheck['method'] | null): number {
  return method === null ? 0 : depths[method]
}

/** Counting sees tables and primary keys only; the other two read every page and compare every index. */
const depths: Readonly<Record<DamageCheck['method'], number>> = { counts: 1, amcheck: 2, integrity_check: 2 }
const minuteMs = 60_000
