import type { Clock } from '../clock.ts'
import type { SpanTally, Store } from '../store/store.ts'

import type { CardsOf } from './cards.ts'
import { wordOf } from './reason-word.ts'
import { hourOf } from './tallies.ts'
import { readSpans, type Spans } from './spans.ts'

export interface Figures extends Spans {
  readonly created: number
  readonly verified: number
  readonly paid: number
  readonly paidTiyin: number
  readonly refused: number
}

export interface StepFigures extends Figures {
  /** When it begins, unix ms. */
  readonly at: number
}

export interface Cause {
  readonly reason: string
  readonly count: number
}

export interface Overview {
  readonly steps: readonly StepFigures[]
  readonly total: Figures & { readonly codesSent: number; readonly calls: number }
  readonly declines: readonly Cause[]
  readonly codesRefused: readonly Cause[]
}

export interface OverviewParts {
  readonly store: Pick<Store, 'listTallies'>
  readonly clock: Pick<Clock, 'now'>
}

export type TellOverview = (of: CardsOf, days: number) => Promise<Overview>

/** The figures of the last days, the present one with them: by the hour for one day, by the day for more. It reads counts, never cards or receipts. */
export function makeOverview({ store, clock }: OverviewParts): TellOverview {
  return async ({ bucket, merchantId }, days) => {
    const stepHours = days === 1 ? 1 : 24
    const toHour = hourOf(clock.now())
    const steps = days === 1 ? 24 : days
    const last = Math.floor((toHour + aheadHours) / stepHours)
    const first = last - steps + 1
    const tallies = await store.listTallies({ bucket, merchantId, fromHour: first * stepHours - aheadHours, toHour, stepHours })
    const byStep = Map.groupBy(tallies, ({ step }) => step)
    return {
      steps: Array.from({ length: steps }, (_, at) => ({
        at: ((first + at) * stepHours - aheadHours) * hourMs,
        ...tellFigures(byStep.get(first + at) ?? []),
      })),
      total: {
        ...tellFigures(tallies),
        codesSent: sumOf(tallies, 'code_sent'),
        calls: tallies.reduce((sum, { name, count }) => sum + (name.startsWith('ms:') ? count : 0), 0),
      },
      declines: causesOf(tallies, 'refused:'),
      codesRefused: causesOf(tallies, 'code_refused:'),
    }
  }
}

function tellFigures(tallies: readonly SpanTally[]): Figures {
  return {
    created: sumOf(tallies, 'created'),
    verified: sumOf(tallies, 'verified'),
    paid: sumOf(tallies, 'paid'),
    paidTiyin: sumOf(tallies, 'paid_tiyin'),
    refused: causesOf(tallies, 'refused:').reduce((sum, { count }) => sum + count, 0),
    ...readSpans(tallies),
  }
}

function sumOf(tallies: readonly SpanTally[], wanted: string): number {
  return tallies.reduce((sum, { name, count }) => sum + (name === wanted ? count : 0), 0)
}

/** Most often first. */
function causesOf(tallies: readonly SpanTally[], prefix: string): Cause[] {
  const causes = new Map<string, number>()
  for (const { name, count } of tallies) {
    if (!name.startsWith(prefix)) continue
    const reason = wordOf(name.slice(prefix.length))
    causes.set(reason, (causes.get(reason) ?? 0) + count)
  }
  return [...causes].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count)
}

const hourMs = 3_600_000
/** Tashkent before UTC. */
const aheadHours = 5
