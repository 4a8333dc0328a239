import type { ServiceDataFactory, StoreKind } from './service-data.ts'
import type { MachineRequirement } from './machine-requirements.ts'

/** An experiment: one fault and one question. */
export interface Experiment {
  /** Its name on the command line, and its file's name. */
  readonly name: string
  /** The question that it answers, in one line. */
  readonly question: string
  readonly stores: readonly StoreKind[]
  /** How often the fault is injected by default. */
  readonly cycles: number
  /** Takes an hour: it runs only when it is named. `cycles` are minutes. */
  readonly isLong?: true
  /** What the machine must provide. */
  readonly needs: readonly MachineRequirement[]
  run(trial: Trial): Promise<ExperimentResult>
}

/** The input of an experiment. */
export interface Trial {
  readonly store: StoreKind
  readonly cycles: number
  readonly seed: number
  /** Threads of the service that answer calls; undefined: as many as the experiment has by default. */
  readonly workers?: number | undefined
  readonly dataFactory: ServiceDataFactory
  /** Prints one line of progress. */
  say(text: string): void
}

/** The result of an experiment. */
export interface ExperimentResult {
  /** Calls that the service acknowledged. */
  readonly acknowledged: number
  /** Acknowledged calls whose effect was missing or different afterwards. */
  readonly lost: number
  /** How often the fault was injected. */
  readonly cycles: number
  /** Everything else that is wrong. */
  readonly complaints: readonly string[]
  /** Proof that the experiment can fail: a service with a planted fault, and whether it was found. */
  readonly control: Control
  /** What was observed, row by row after a row of headings. */
  readonly table?: readonly (readonly string[])[]
  /** What was judged, in words, line by line. */
  readonly notes?: readonly string[]
  /** Measured values by name; the name ends with the unit. */
  readonly metrics: Readonly<Record<string, number>>
}

export interface Control {
  /** The planted fault. */
  readonly what: string
  readonly isFound: boolean
  /** What was observed. */
  readonly details: string
}
