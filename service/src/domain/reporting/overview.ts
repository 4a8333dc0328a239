import { errors, type ErrorName } from '@tessera/contract/errors'
import { countDays, type DayPeriod, periodBefore, toTimeRange } from '@tessera/contract/calendar-day'

import { type CounterStep, listCounters } from '../../store/counters.ts'
import type { Store } from '../../store/store.ts'

import type { MerchantCardsKey } from './cards.ts'
import { addMoney, type MoneyTotals, noMoneyTotals, sumMoneyOfEach } from './daily-totals.ts'
import { toReasonCode } from './reason-code.ts'
import { hourOf, parseFailedCounter } from './call-counters.ts'
import { readPeriods, type PeriodPair } from './periods.ts'

export interface OverviewTotals extends PeriodPair, MoneyTotals {
  readonly created: number
  readonly verified: number
  readonly refused: number
}

export interface OverviewStep extends OverviewTotals {
  /** Start of the interval, Unix milliseconds. */
  readonly at: number
}

export interface PeriodTotals extends OverviewTotals {
  readonly codesSent: number
  /** Payments that got an answer, and those of them that were debited or held. */
  readonly attempts: number
  readonly approved: number
  readonly calls: number
}

export interface DeclineCause {
  readonly reason: string
  readonly count: number
}

/** One kind of error of one method. */
export interface ErrorGroup {
  readonly method: string
  readonly code: number
  readonly reason: string
  readonly count: number
  /** In the period before. */
  readonly before: number
  /** As many as the steps of the period. */
  readonly steps: readonly number[]
}

export interface Overview {
  readonly steps: readonly OverviewStep[]
  readonly total: PeriodTotals
  readonly before: DayPeriod & { readonly steps: readonly OverviewStep[]; readonly total: PeriodTotals }
  readonly declines: readonly DeclineCause[]
  readonly codesRefused: readonly DeclineCause[]
  readonly errors: readonly ErrorGroup[]
}

export type BuildOverview = (of: MerchantCardsKey, period: DayPeriod) => Promise<Overview>

/**
 * Statistics of a period of days and of the one before it: hourly for one day, daily for more. Reads counters and sums of summaries, never cards or receipts.
 * A period and the one before it are within what is stored.
 */
export function makeOverview({ store }: { readonly store: Pick<Store, 'read'> }): BuildOverview {
  return async (of, period) => {
    const earlier = periodBefore(period)
    const [now, before] = await Promise.all([readPeriod(of, period), readPeriod(of, earlier)])
    const { counters } = now
    return {
      steps: toSteps(now),
      total: toPeriodTotals(now),
      before: { ...earlier, steps: toSteps(before), total: toPeriodTotals(before) },
      declines: causesOf(counters, 'refused:'),
      codesRefused: causesOf(counters, 'code_refused:'),
      errors: groupErrors(now, before),
    }
  }

  async function readPeriod({ bucket, merchantId }: MerchantCardsKey, period: DayPeriod): Promise<PeriodRead> {
    const { from, to } = toTimeRange(period)
    const stepHours = countDays(period) === 1 ? 1 : 24
    const stepMs = stepHours * hourMs
    const starts = Array.from({ length: (to - from) / stepMs }, (_, number) => from + number * stepMs)
    const [counters, moneys] = await Promise.all([
      store.read(listCounters({ bucket, merchantId, fromHour: hourOf(from), toHour: hourOf(to - 1), stepHours })),
      sumMoneyOfEach(
        store,
        { bucket, merchantId },
        starts.map((at) => ({ from: at, to: at + stepMs })),
      ),
    ])
    return {
      counters,
      byStep: Map.groupBy(counters, ({ step }) => step),
      steps: starts.map((at, number) => ({
        step: Math.floor((hourOf(at) + aheadHours) / stepHours),
        at,
        money: moneys[number] ?? noMoneyTotals,
      })),
    }
  }
}

interface PeriodRead {
  readonly counters: readonly CounterStep[]
  readonly byStep: ReadonlyMap<number, readonly CounterStep[]>
  readonly steps: readonly { readonly step: number; readonly at: number; readonly money: MoneyTotals }[]
}

function toSteps({ byStep, steps }: PeriodRead): OverviewStep[] {
  return steps.map(({ step, at, money }) => ({ at, ...toTotals(byStep.get(step) ?? [], money) }))
}

function toPeriodTotals({ counters, steps }: PeriodRead): PeriodTotals {
  const totals = toTotals(counters, steps.map(({ money }) => money).reduce(addMoney, noMoneyTotals))
  // A captured hold was approved once, when it was held.
  const approved = sumOf(counters, 'paid') - sumOf(counters, 'captured') + sumOf(counters, 'held')
  return {
    ...totals,
    codesSent: sumOf(counters, 'code_sent'),
    attempts: approved + totals.refused,
    approved,
    calls: counters.reduce((sum, { name, count }) => sum + (name.startsWith('ms:') ? count : 0), 0),
  }
}

function toTotals(counters: readonly CounterStep[], money: MoneyTotals): OverviewTotals {
  return {
    created: sumOf(counters, 'created'),
    verified: sumOf(counters, 'verified'),
    ...money,
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

/** The kinds of errors that came most often, by method, with their trend. */
function groupErrors({ counters, steps }: PeriodRead, before: PeriodRead): ErrorGroup[] {
  const places = new Map(steps.map(({ step }, index) => [step, index]))
  const groups = new Map<string, { method: string; code: number; reason: string; count: number; steps: number[] }>()
  for (const { name, step, count } of counters) {
    const call = parseFailedCounter(name)
    const place = places.get(step)
    if (call === null || place === undefined || !isErrorName(call.error)) continue
    const { code, reason } = errors[call.error]
    const group = groups.get(name) ?? { method: call.method, code, reason, count: 0, steps: steps.map(() => 0) }
    group.count += count
    group.steps[place] = (group.steps[place] ?? 0) + count
    groups.set(name, group)
  }
  return [...groups]
    .map(([name, group]) => ({ ...group, before: sumOf(before.counters, name) }))
    .sort((a, b) => b.count - a.count)
    .slice(0, errorGroupsMax)
}

/** False for an error of a later version, whose process counts in the same store. */
function isErrorName(name: string): name is ErrorName {
  return Object.hasOwn(errors, name)
}

const errorGroupsMax = 12
const hourMs = 3_600_000
/** Offset of Tashkent time from UTC. */
const aheadHours = 5
/** Counters are stored for twice as long (`storedHours`), so that each period can be compared with the one before it. */
export const overviewDaysMax = 92
