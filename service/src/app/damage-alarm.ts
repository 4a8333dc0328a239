import type { Clock } from '../clock.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { StoreDamaged } from '../store/store.ts'

/** Whether a PostgreSQL server has found its files damaged since this process began to use it. */
export interface DamageAlarm {
  /** Raises the alarm: the service is not ready until it has ended. */
  raise(found: StoreDamaged): void
  /** Ends it: another server is followed, or a check of the whole store found nothing. */
  end(): void
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
  metrics.registerGauge({
    name: 'tessera_store_damaged',
    help: '1 since the PostgreSQL server has found its files damaged.',
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
    end() {
      damage = null
      loggedAt = -Infinity
    },
    damage: () => damage,
  })
}

const minuteMs = 60_000
