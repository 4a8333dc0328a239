import { errorEntry, RpcError, type ErrorName } from '@tessera/contract/errors'

/** `shadow`: the limit is counted and reported, but not enforced. */
export type LimitMode = 'off' | 'shadow' | 'on'

/** A limit that was reached, and enforced unless in shadow mode. `reason` is that of the API error. */
export interface ReachedLimit {
  readonly reason: string
  readonly mode: 'shadow' | 'on'
  readonly merchantId: string
}

export type LimitObserver = (reached: ReachedLimit) => void

/** Returns a function that reports a limit whose wait is above zero, and throws its error unless in shadow mode. */
export function makeLimitRefusal(
  entry: ErrorName,
  mode: LimitMode,
  onLimitReached: LimitObserver,
): (merchantId: string, waitMs: number) => void {
  return (merchantId, waitMs) => {
    if (waitMs <= 0 || mode === 'off') return
    onLimitReached({ reason: errorEntry(entry).reason, mode, merchantId })
    if (mode === 'on') throw new RpcError(entry, { retryAfterMs: waitMs })
  }
}
