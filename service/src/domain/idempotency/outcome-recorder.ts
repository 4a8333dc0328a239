import { RpcError } from '@tessera/contract/errors'

import {
  findIdempotencyRecord,
  type IdempotencyClaim,
  type IdempotencyOutcome,
  type IdempotencyRow,
  saveIdempotencyOutcome,
} from '../../store/idempotency.ts'

import type { IdempotencyDependencies } from './dependencies.ts'
import type { IdempotencyHandle } from './handle.ts'
import type { KeyedRequest, RequestDigest } from './keyed-request.ts'
import { encodeOutcome, isStorable, type OperationOutcome } from './outcome.ts'
import { sealStoredOutcome } from './stored-outcome.ts'

/** Records the outcome of one run of an operation. */
export interface OutcomeRecorder {
  /** For the operation's own transactions. */
  readonly handle: IdempotencyHandle<object>
  /** Stores an outcome unless one of the transactions has. False if another request has claimed the key. */
  store(outcome: OperationOutcome<unknown>): Promise<boolean>
}

export function makeOutcomeRecorder(
  { store, clock, settings }: IdempotencyDependencies,
  { method, requestId }: KeyedRequest,
  digest: RequestDigest,
  seal: (row: IdempotencyRow) => IdempotencyRow,
): OutcomeRecorder {
  const [location] = digest.locations
  const { key, identity, dek } = location
  /** Outcomes that were passed to a transaction. */
  const inTransactions = new Set<string>()
  let subject = ''
  return { handle: { claim, outcome: outcomeRow }, store: storeOutcome }

  function claim(claimed: string): IdempotencyClaim {
    subject = claimed
    const now = clock.now()
    const times = { claimedAt: now, leaseUntil: now + settings.leaseMs, endsAt: now + settings.retentionMs }
    return seal({ ...key, identity, hashKeyId: dek.keyId, ...times, method, subject, requestId, sealed: null, mac: new Uint8Array(0) })
  }

  function outcomeRow(result: object): IdempotencyOutcome | null {
    const outcome = result instanceof RpcError ? { error: result } : { result }
    if (!isStorable(outcome)) return null
    inTransactions.add(encodeOutcome(outcome))
    return sealStoredOutcome(digest, location, outcome)
  }

  async function storeOutcome(outcome: OperationOutcome<unknown>): Promise<boolean> {
    // An outcome in a transaction is stored unless the transaction changed nothing.
    const row = inTransactions.has(encodeOutcome(outcome)) ? await store.read(findIdempotencyRecord(key)) : null
    if (row !== null && row.requestId === requestId && row.sealed !== null) return true
    return store.write(saveIdempotencyOutcome, { claim: claim(subject), outcome: sealStoredOutcome(digest, location, outcome) })
  }
}
