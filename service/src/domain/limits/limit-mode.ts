import { errorEntry, RpcError, type ErrorName } from '@tessera/contract/errors'

/** `shadow`: the limit is counted and reported, and nobody is refused. */
export type LimitMode = 'off' | 'shadow' | 'on'

/** A limit that refused, or would have refused were it not in shadow mode. `reason` is the wire's. */
export interface ReachedLimit {
  readonly reason: string
  readonly mode: 'shadow' | 'on'
  readonly merchantId: string
}

export type LimitObserver = (reached: ReachedLimit) => void

/** Reports a limit whose wait is above zero, and throws it unless it is in shadow mode. */
export function makeLimitRefusal(entry: ErrorName, mode: LimitMode, tell: LimitObserver): (merchantId: string, waitMs: number) => void {
  return (merchantId, waitMs) => {
    if (waitMs <= 0 || mode === 'off') return
    tell({ reason: errorEntry(entry).reason, mode, merchantId })
    if (mode === 'on') throw new RpcError(entry, { retryAfterMs: waitMs })
  }
}
