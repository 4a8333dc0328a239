import type { FoundCard } from '../cards/find.ts'
import type { OperationRow, ReceiptRow } from '../store/store.ts'

/** A payment whose intention is durable: the network may be asked. */
export interface Payment {
  readonly found: FoundCard
  readonly receipt: ReceiptRow
  readonly operation: OperationRow
  /** Whether the merchant's endpoint is asked before the network, and told after it. */
  readonly isAsked: boolean
}
