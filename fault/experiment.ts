import type { Homes, StoreKind } from './home.ts'
import type { Need } from './needs.ts'

/** One fault, one question. */
export interface Experiment {
  /** As it is typed, and its file's name. */
  readonly name: string
  /** What it asks, in one line. */
  readonly question: string
  readonly stores: readonly StoreKind[]
  /** How often the fault is made, unless the run says otherwise. */
  readonly cycles: number
  /** What it takes of the machine. */
  readonly needs: readonly Need[]
  run(trial: Trial): Promise<Finding>
}

/** What an experiment is given. */
export interface Trial {
  readonly store: StoreKind
  readonly cycles: number
  readonly seed: number
  readonly homes: Homes
  /** One line on how far it has come. */
  say(text: string): void
}

/** What it found. */
export interface Finding {
  /** Deeds that the service acknowledged. */
  readonly acknowledged: number
  /** Acknowledged deeds that were gone, or otherwise than acknowledged. */
  readonly lost: number
  /** How often the fault was made. */
  readonly cycles: number
  /** Everything else that is not as it should be. */
  readonly complaints: readonly string[]
  /** That the experiment can fail: a service made wrong on purpose, and what was found of it. */
  readonly control: Control
  /** Name with its unit → value. */
  readonly figures: Readonly<Record<string, number>>
}

export interface Control {
  /** How the service was made wrong. */
  readonly what: string
  readonly isFound: boolean
  /** What was seen of it. */
  readonly seen: string
}
