import type { Homes, StoreKind } from '../fault/home.ts'

/** One question about speed, size or silence, and how it is measured. */
export interface Measurement {
  /** As it is typed, and its file's name. */
  readonly name: string
  readonly question: string
  run(bench: Bench): Promise<readonly Figure[]>
}

export interface Bench {
  readonly homes: Homes
  readonly stores: readonly StoreKind[]
  /** A tenth of the time, for a look: figures are then rough. */
  readonly isQuick: boolean
  say(text: string): void
}

/** One measured value, with what it ought to be. */
export interface Figure {
  /** Of what: `create sqlite`. */
  readonly of: string
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly aim?: Aim
}

export type Aim = { readonly least: number } | { readonly most: number }

/** Whether a figure is as it ought to be; null where nothing was aimed at. */
export function isReached({ value, aim }: Figure): boolean | null {
  if (aim === undefined) return null
  return 'least' in aim ? value >= aim.least : value <= aim.most
}
