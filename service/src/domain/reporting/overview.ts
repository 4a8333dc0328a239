import type { Clock } from '../../clock.ts'
import { type CounterStep, listCounters } from '../../store/counters.ts'
import type { Store } from '../../store/store.ts'

import type { MerchantCardsKey } from './cards.ts'
import { toReasonCode } from './reason-code.ts'
import { hourOf } from './call-counters.ts'
import { readPeriods, type PeriodPair } from './periods.ts'

export interface OverviewTotals extends PeriodPair {
  readonly created: number
  readonly verified: number
  readonly paid: number
  readonly paidTiyin: number
  readonly refused: number
}

export interface OverviewStep extends OverviewTotals {
  /** Start of the interval, Unix milliseconds. */
  readonly at: number
}

export interface DeclineCause {
  readonly reason: string
  readonly count: number
}

export interface Overview {
  readonly steps: readonly OverviewStep[]
  readonly total: OverviewTotals & { readonly codesSent: number; readonly calls: number }
  readonly declines: readonly DeclineCause[]
  readonly codesRefused: readonly DeclineCause[]
}

export interface OverviewDependencies {
  readonly store: Pick<Store, 'read'>
  readonly clock: Pick<Clock, 'now'>
}

export type BuildOverview = (of: MerchantCardsKey, days: number) => Promise<Overview>

/** Statistics of the last days, including today: hourly for one day, daily for more. Reads only counters, never cards or receipts. */
export function makeOverview({ store, clock }: OverviewDependencies): BuildOverview {
  return async ({ bucket, merchantId }, days) => {
    const stepHours = days === 1 ? 1 : 24
    const toHour = hourOf(clock.now())
    const steps = days === 1 ? 24 : days
    const last = Math.floor((toHour + aheadHours) / stepHours)
    const first = last - steps + 1
    const counters = await store.read(listCounters({ bucket, merchantId, fromHour: first * stepHours - aheadHours, toHour, stepHours }))
    const byStep = Map.groupBy(counters, ({ step }) => step)
    return {
      steps: Array.from({ length: steps }, (_, at) => ({
        at: ((first + at) * stepHours - aheadHours) * hourMs,
        ...toTotals(byStep.get(first + at) ?? []),
      })),
      total: {
        ...toTotals(counters),
        codesSent: sumOf(counters, 'code_sent'),
        calls: counters.reduce((sum, { name, count }) => sum + (name.startsWith('ms:') ? count : 0), 0),
      },
      declines: causesOf(counters, 'refused:'),
      codesRefused: causesOf(counters, 'code_refused:'),
    }
  }
}

function toTotals(counters: readonly CounterStep[]): OverviewTotals {
  return {
    created: sumOf(counters, 'created'),
    verified: sumOf(counters, 'verified'),
    paid: sumOf(counters, 'paid'),
    paidTiyin: sumOf(counters, 'paid_tiyin'),
    refused: causesOf(counters, 'refused:').reduce((sum, { count }) => sum + count, 0),
    ...readPeriods(counters),
  }
}

function sumOf(counters: readonly CounterStep[], wanted: string): number {
  return counters.reduce((sum, { name, count }) => sum + (name === wanted ? count : 0), 0)
}

/** Most frequent first. */
function causesOf(counters: readonly CounterStep[], prefix: string): DeclineCause[] {
  const causes = new Map<string, number>()
  for (const { name, count } of counters) {
    if (!name.startsWith(prefix)) continue
    const reason = toReasonCode(name.slice(prefix.length))
    causes.set(reason, (causes.get(reason) ?? 0) + count)
  }
  return [...causes].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count)
}

const hourMs = 3_600_000
/** Offset of Tashkent time from UTC. */
const aheadHours = 5
