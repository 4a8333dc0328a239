/** A command to the load generator over its IPC channel. The reply to each is a `LoadResult` or a `LoadProblem`. */
export type LoadOrder =
  /** Creates cards and stores their tokens for `check`. */
  | { readonly order: 'prepare'; readonly target: LoadTarget; readonly cards: number }
  /** Creates receipts for `pay`, which pays each of them once; a run ends when all are paid. */
  | { readonly order: 'prepareReceipts'; readonly target: LoadTarget; readonly receipts: number }
  | {
      readonly order: 'run'
      readonly target: LoadTarget
      readonly method: LoadMethod
      readonly connections: number
      /** It ends after this time; not limited when absent. Never Infinity, which is null in the JSON of the channel. */
      readonly ms?: number
      /** And after so many requests; not limited when absent. */
      readonly requests?: number
      /**
       * For filling a store: what is refused because the store is busy, or has an unknown outcome, is sent again after its `retry_after`, and is no
       * failure. So there may be a few cards more.
       */
      readonly repeatsRefused?: boolean
    }
  /** Sends at a fixed rate, and counts from when each was due (`runOpenLoop`). */
  | {
      readonly order: 'rate'
      readonly target: LoadTarget
      readonly method: 'create' | 'check'
      readonly connections: number
      readonly perSecond: number
      readonly ms: number
    }
  | { readonly order: 'end' }

export type LoadMethod = 'create' | 'check' | 'pay'

export interface LoadTarget {
  readonly url: string
  /** `<id>` or `<id>:<password>`. */
  readonly xAuth: string
}

export interface LoadResult {
  readonly requests: number
  readonly ms: number
  /** Replies without a result; a measurement with any of them is invalid. */
  readonly failed: number
  /** The first of them. */
  readonly failure: string
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  /** Of a fixed rate: how late the load generator itself was at most. A part of the durations. */
  readonly sentLateMs?: number
}

/** A command that failed. */
export interface LoadProblem {
  readonly problem: string
}
