import type { Clock } from '../../../clock.ts'
import { formatMetrics, makeCounter, makeGauge, makeHistogram, type Metric } from '../../metrics/metric.ts'

import type { CanaryRound } from './round.ts'

/** The metrics of a canary, which is a process of its own. */
export interface CanaryMetrics {
  record(round: CanaryRound): void
  render(): Promise<string>
}

export function makeCanaryMetrics(clock: Pick<Clock, 'now' | 'sleep'>): CanaryMetrics {
  const startedAt = clock.now()
  let succeededAt = startedAt
  const rounds = makeCounter('tessera_canary_rounds_total', 'Rounds of the canary, by outcome.', [
    { outcome: 'succeeded' },
    { outcome: 'failed' },
  ])
  const failures = makeCounter('tessera_canary_failures_total', 'Rounds of the canary that failed, by step and reason.')
  const steps = makeHistogram(
    'tessera_canary_step_duration_seconds',
    'How long the steps of the canary took.',
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  )
  const age = makeGauge(
    {
      name: 'tessera_canary_last_success_timestamp_seconds',
      help: 'When the last round of the canary succeeded, Unix time; before the first one, when the canary began.',
      read: () => succeededAt / 1000,
    },
    clock,
  )
  const all: readonly Metric[] = [rounds, failures, steps, age]
  return Object.freeze({
    record({ ok, steps: made, failure }: CanaryRound) {
      rounds.add({ outcome: ok ? 'succeeded' : 'failed' })
      if (failure !== null) failures.add(failure)
      if (ok) succeededAt = clock.now()
      for (const { step, ms } of made) steps.observe({ step }, ms / 1000)
    },
    async render() {
      return formatMetrics((await Promise.all(all.map(async (metric) => metric.collect()))).filter((family) => family !== null))
    },
  })
}
