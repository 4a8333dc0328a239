import {
  type IdempotencyClaim,
  type IdempotencyOutcome,
  claimIdempotencyKey,
  releaseIdempotencyKey,
  storeIdempotencyOutcome,
} from './idempotency.ts'
import { type EventRow, insertEvents } from './outbox.ts'
import { type DuplicateRequest, type Transaction, rollback } from './transaction.ts'

/** Stored together with a transaction's change, or not at all (docs/reference/security-rules.md#durability-3). */
export interface TransactionExtras {
  /** For the outbox: delivered to the merchant's webhooks. */
  readonly events?: readonly EventRow[] | undefined
  /** Null or absent for a request without an idempotency key. */
  readonly idempotency?: IdempotencyExtras | null | undefined
}

export interface IdempotencyExtras {
  /** Claims the key. When another request has it, the transaction writes nothing and returns `duplicate_request`. */
  readonly claim: IdempotencyClaim | null
  /** The outcome of the claim; given together with `claim`, the record has its outcome from the start. */
  readonly outcome: IdempotencyOutcome | null
}

/**
 * Runs a transaction together with its extras. The key is claimed first, so that all transactions lock in one order: key, receipt, card lock, code,
 * card. Outcome and events are stored only when the transaction changed something; otherwise the claim is released.
 */
export function* withExtras<T>(
  { events = [], idempotency = null }: TransactionExtras,
  transaction: Transaction<T>,
  isChange: (result: T) => boolean,
): Transaction<T | DuplicateRequest> {
  const { claim, outcome } = idempotency ?? { claim: null, outcome: null }
  if (claim !== null && !(yield* claimIdempotencyKey(claim, outcome))) return yield* rollback('duplicate_request')

  const result = yield* transaction
  if (!isChange(result)) {
    if (claim !== null) yield* releaseIdempotencyKey(claim)
    return result
  }
  if (claim === null) yield* storeIdempotencyOutcome(outcome)
  yield* insertEvents(events)
  return result
}
