import { errorEntry, RpcError, type ErrorName } from '@tessera/contract/errors'

/** `shadow`: it is counted and told, and nobody is refused. */
export type LimitMode = 'off' | 'shadow' | 'on'

/** Told when a limit refuses, or in the shadow would have. `reason` is the word of the wire. */
export interface ReachedLimit {
  readonly reason: string
  readonly mode: 'shadow' | 'on'
  readonly merchantId: string
}

export type TellLimit = (reached: ReachedLimit) => void

/** A limit that has to be waited for: told, and thrown unless it is in the shadow. No wait: nothing happens. */
export function makeRefuse(entry: ErrorName, mode: LimitMode, tell: TellLimit): (merchantId: string, waitMs: number) => void {
  return (merchantId, waitMs) => {
    if (waitMs <= 0 || mode === 'off') return
    tell({ reason: errorEntry(entry).reason, mode, merchantId })
    if (mode === 'on') throw new RpcError(entry, { retryAfterMs: waitMs })
  }
}
