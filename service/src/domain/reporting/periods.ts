import type { CounterStep } from '../../store/counters.ts'

import { spanBounds } from './call-counters.ts'

/** Call durations in milliseconds; null when there were no calls. */
export interface PeriodPair {
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** Estimates quantiles from the counters `ms:<bound>`: linear within a bucket; above the last bound, that bound. */
export function readPeriods(counters: readonly Pick<CounterStep, 'name' | 'count'>[]): PeriodPair {
  const counts = spanBounds.map((bound) => countOf(counters, `ms:${String(bound)}`))
  const more = countOf(counters, 'ms:more')
  const all = counts.reduce((sum, count) => sum + count, more)
  return { p50Ms: quantile(counts, all, 0.5), p95Ms: quantile(counts, all, 0.95) }
}

function quantile(counts: readonly number[], all: number, share: number): number | null {
  if (all === 0) return null
  let [before, from] = [0, 0]
  for (const [at, bound] of spanBounds.entries()) {
    const count = counts[at] ?? 0
    if (count > 0 && before + count >= all * share) return Math.max(1, Math.round(from + ((bound - from) * (all * share - before)) / count))
    before += count
    from = bound
  }
  return from
}

function countOf(counters: readonly Pick<CounterStep, 'name' | 'count'>[], wanted: string): number {
  return counters.reduce((sum, { name, count }) => sum + (name === wanted ? count : 0), 0)
}
