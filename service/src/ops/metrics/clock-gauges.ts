import type { ClockGuard } from '../../domain/clock-guard.ts'

import type { Metrics } from './metrics.ts'

/** Registers the gauges of the machine's clock. */
export function registerClockGauges(guard: Pick<ClockGuard, 'status'>, metrics: Pick<Metrics, 'registerGauge'>): void {
  metrics.registerGauge({
    name: 'tessera_clock_trusted',
    help: '0 while nothing is destroyed or moved because of a time, since the clock jumped or stands behind the audit.',
    read: () => (guard.status().refusal === null ? 1 : 0),
  })
  metrics.registerGauge({
    name: 'tessera_clock_drift_seconds',
    help: 'How far the clock has moved against the monotonic clock since the start, or since it was confirmed.',
    read: () => guard.status().driftMs / 1000,
  })
}
