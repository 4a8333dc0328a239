import type { Clock } from '../../clock.ts'
import type { ReceiptRow } from '../../store/receipts.ts'

/**
 * Proves that a call is lost while the wall clock is not trusted: the process that made it stored its lease with a version of the receipt. When that version has been
 * due for as long as a lease by the monotonic clock of this process, the lease is over, whatever the wall clock says.
 */
export interface LostCalls {
  /** Call it each time the receipt is found due. */
  isLost(receipt: Pick<ReceiptRow, 'receiptId' | 'version'>): boolean
}

/** `leaseMs`: the lease of a call, which is longer than any call takes. */
export function makeLostCalls({ clock, leaseMs }: { readonly clock: Pick<Clock, 'moment'>; readonly leaseMs: number }): LostCalls {
  const seen = new Map<string, { readonly version: number; readonly sinceMs: number }>()
  return Object.freeze({
    isLost({ receiptId, version }: Pick<ReceiptRow, 'receiptId' | 'version'>) {
      const { monotonicMs } = clock.moment()
      const known = seen.get(receiptId)
      if (known?.version === version) return monotonicMs - known.sinceMs >= leaseMs
      // Bounded: the receipt that was seen first is forgotten, and waits for a lease once more.
      if (known === undefined && seen.size >= maxSeen) for (const oldest of seen.keys()) if (seen.delete(oldest)) break
      seen.set(receiptId, { version, sinceMs: monotonicMs })
      return false
    },
  })
}

const maxSeen = 10_000
