import type { ServiceDataFactory, StoreKind } from '../fault/service-data.ts'

/** A question about speed, size or leaks, and how it is measured. */
export interface Measurement {
  /** Its name on the command line. */
  readonly name: string
  readonly question: string
  run(bench: Bench): Promise<readonly Measure[]>
}

export interface Bench {
  readonly dataFactory: ServiceDataFactory
  readonly stores: readonly StoreKind[]
  /** Takes a tenth of the time; the values are rough then. */
  readonly isQuick: boolean
  /** Another checkout of this repository, to compare with instead of a target; only `create`, `check` and `pay` can. */
  readonly against: string | null
  say(text: string): void
}

/** One measured value, with its target. */
export interface Measure {
  /** What was measured: `create sqlite`. */
  readonly of: string
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly target?: MeasureTarget
  /** Of a value that is the median of several rounds. */
  readonly interval?: MedianInterval
}

/** Where the median of ever more rounds would lie, with a confidence between 0 and 1 (`findMedianInterval`). */
export interface MedianInterval {
  readonly low: number
  readonly high: number
  readonly confidence: number
  readonly rounds: number
}

export type MeasureTarget = { readonly least: number } | { readonly most: number }

/** Whether a value reaches its target; null without a target. */
export function isTargetReached({ value, target: target }: Measure): boolean | null {
  if (target === undefined) return null
  return 'least' in target ? value >= target.least : value <= target.most
}

/** Whether the rounds do not tell on which side of its target a value lies: more rounds, or a quieter machine, would. */
export function isTargetUndecided({ interval, target }: Measure): boolean {
  if (interval === undefined || target === undefined) return false
  const limit = 'least' in target ? target.least : target.most
  return interval.low < limit && limit < interval.high
}
