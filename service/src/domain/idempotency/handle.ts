import type { RpcError } from '@tessera/contract/errors'

import type { TransactionExtras } from '../../store/extras.ts'
import type { IdempotencyClaim, IdempotencyOutcome } from '../../store/idempotency.ts'
import type { DuplicateRequest } from '../../store/transaction.ts'

/**
 * The idempotency key of a request, as the domain knows it: rows to be written in the same transactions as the operation's effect. The
 * operation knows how its `Outcome` goes over the wire.
 */
export interface IdempotencyHandle<Outcome> {
  /** For the commit of the intention. `subject` is the id by which the outcome is found should the request end without one. */
  readonly claim: (subject: string) => IdempotencyClaim
  /** For the commit of the outcome. Null for what is not stored: an internal error, or a payment whose outcome is still unknown. */
  readonly answer: (outcome: Outcome | RpcError) => IdempotencyOutcome | null
}

/** For the transaction of the intention, before anything outside is called. */
export function intentionExtras(idempotency: IdempotencyHandle<never> | null, subject: string): TransactionExtras {
  return { idempotency: idempotency === null ? null : { claim: idempotency.claim(subject), outcome: null } }
}

/** For the transaction of the outcome of what was claimed before. */
export function outcomeExtras<T>(idempotency: IdempotencyHandle<T> | null, outcome: T | RpcError): TransactionExtras {
  return { idempotency: idempotency === null ? null : { claim: null, outcome: idempotency.answer(outcome) } }
}

/** For operations whose intention and outcome are one transaction. */
export function completeExtras<T>(idempotency: IdempotencyHandle<T> | null, subject: string, outcome: T): TransactionExtras {
  if (idempotency === null) return { idempotency }
  return { idempotency: { claim: idempotency.claim(subject), outcome: idempotency.answer(outcome) } }
}

/** Passes on the result of a transaction. Throws `IdempotencyConflict` when it did nothing because of a duplicate request. */
export function requireNoConflict<A>(result: A): Exclude<A, DuplicateRequest> {
  if (result === 'duplicate_request') throw new IdempotencyConflict()
  return result as Exclude<A, DuplicateRequest>
}

/** Another request has claimed the same key: nothing was done, and its outcome counts for both. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict'
}
