/** What the load generator is told, over its IPC channel. Each is answered by one `LoadAnswer`, or by what came in the way. */
export type LoadOrder =
  /** Makes cards and keeps their tokens for `check`. */
  | { readonly order: 'prepare'; readonly target: Target; readonly cards: number }
  | { readonly order: 'run'; readonly target: Target; readonly method: LoadMethod; readonly connections: number; readonly ms: number }
  | { readonly order: 'end' }

export type LoadMethod = 'create' | 'check'

export interface Target {
  readonly url: string
  /** `<id>` or `<id>:<password>`. */
  readonly xAuth: string
}

export interface LoadAnswer {
  readonly requests: number
  readonly ms: number
  /** Answers without a result; a measurement with any of them is none. */
  readonly failed: number
  /** The first of them. */
  readonly failure: string
  readonly p50Ms: number
  readonly p99Ms: number
}

/** An order that could not be obeyed. */
export interface LoadProblem {
  /** What the load generator stumbled over. */
  readonly problem: string
}
