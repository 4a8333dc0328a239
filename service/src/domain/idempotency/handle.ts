import type { RpcError } from '@tessera/contract/errors'

import type { TransactionExtras } from '../../store/extras.ts'
import type { IdempotencyClaim, IdempotencyOutcome } from '../../store/idempotency.ts'
import type { DuplicateRequest } from '../../store/transaction.ts'

/**
 * The idempotency key of a request, for the domain: it makes the rows that are stored in the same transactions as the effect of the operation.
 * `Outcome` is the domain's result; the operation renders it for the API.
 */
export interface IdempotencyHandle<Outcome> {
  /** The row for the transaction of the intention. By `subject`, an id, the outcome is found if the request ends without storing one. */
  readonly claim: (subject: string) => IdempotencyClaim
  /** The row for the transaction of the outcome. Null for outcomes that are not stored: an internal error, a payment whose outcome is unknown. */
  readonly outcome: (outcome: Outcome | RpcError) => IdempotencyOutcome | null
  /** Notes that the transaction with this row was committed and changed something. Without it the record is read to find out. */
  readonly confirm: (row: IdempotencyOutcome) => void
}

/** For the transaction of the intention, before an external system is called. */
export function intentionExtras(idempotency: IdempotencyHandle<never> | null, subject: string): TransactionExtras {
  return { idempotency: idempotency === null ? null : { claim: idempotency.claim(subject), outcome: null } }
}

/** For the transaction of the outcome, after `intentionExtras`. */
export function outcomeExtras<T>(idempotency: IdempotencyHandle<T> | null, outcome: T | RpcError): TransactionExtras {
  return { idempotency: idempotency === null ? null : { claim: null, outcome: idempotency.outcome(outcome) } }
}

/** For operations whose intention and outcome are one transaction. */
export function completeExtras<T>(idempotency: IdempotencyHandle<T> | null, subject: string, outcome: T): TransactionExtras {
  if (idempotency === null) return { idempotency }
  return { idempotency: { claim: idempotency.claim(subject), outcome: idempotency.outcome(outcome) } }
}

/** Returns the result of a transaction. Throws `IdempotencyConflict` if the transaction did nothing because of a duplicate request. */
export function requireNoConflict<A>(result: A): Exclude<A, DuplicateRequest> {
  if (result === 'duplicate_request') throw new IdempotencyConflict()
  return result as Exclude<A, DuplicateRequest>
}

/** Another request has claimed the same key: nothing was done, and its outcome applies to both. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict'
}
