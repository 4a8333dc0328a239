import { RpcError } from '@tessera/contract/errors'

import { findIdempotencyRecord, type IdempotencyRow, saveIdempotencyOutcome } from '../../store/idempotency.ts'

import type { IdempotencyDependencies, IdempotentOperation } from './dependencies.ts'
import type { KeyedRequest, RequestDigest } from './keyed-request.ts'
import { captureOutcome, isStorable, type OperationOutcome } from './outcome.ts'
import { openStoredOutcome, sealStoredOutcome, type StoredOutcome } from './stored-outcome.ts'

/** One request with its digest, and the operation that it asks for. */
export interface IdempotentRun<T> {
  readonly request: KeyedRequest
  readonly digest: RequestDigest
  readonly operation: IdempotentOperation<T>
}

/**
 * Returns the outcome of a claimed key. While the first request is under way it is waited for, as long as its lease. After that the claim is
 * reconciled with what happened; the operation is never run again. `retry`: another request holds the key by now.
 */
export async function awaitOutcome<T>(
  deps: IdempotencyDependencies,
  run: IdempotentRun<T>,
  { row: first, location }: StoredOutcome,
): Promise<OperationOutcome<T> | 'retry'> {
  const { store, clock } = deps
  let row: IdempotencyRow | null = first
  for (let poll = 0, waitMs = firstWaitMs; poll < maxPolls; poll++, waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    if (row === null || Buffer.compare(row.identity, first.identity) !== 0) return 'retry'
    if (row.sealed !== null) return openStoredOutcome(run.digest, location, row.sealed)
    const leftMs = row.leaseUntil - clock.now()
    const found = await reconcile(run, row, leftMs <= 0)
    if (found !== null && !isStorable(found)) return found
    if (leftMs <= 0) return found === null ? unknownOutcome() : await storeReconciled(deps, run, { row, location }, found)
    if (found === null) await sleep(deps, Math.min(waitMs, leftMs), run.request.signal)
    row = await store.read(findIdempotencyRecord(location.key))
    // It is known what happened, and the first request has not stored it: nobody is left to do so.
    if (found !== null && row?.sealed === null) return found
  }
  return unknownOutcome()
}

async function reconcile<T>(
  { operation }: IdempotentRun<T>,
  { subject, method }: IdempotencyRow,
  isExpired: boolean,
): Promise<OperationOutcome<T> | null> {
  const { reconcile: find } = operation
  if (find === null) throw new Error(`${method} claims and stores its outcome in one transaction, and here is a claim without an outcome`)
  const outcome = await captureOutcome(() => find({ subject, isExpired }))
  if ('error' in outcome) return outcome
  return outcome.result === null ? null : { result: outcome.result }
}

async function storeReconciled<T>(
  { store, clock }: IdempotencyDependencies,
  { digest }: IdempotentRun<T>,
  { row, location }: StoredOutcome,
  outcome: OperationOutcome<T>,
): Promise<OperationOutcome<T> | 'retry'> {
  const { sealed: _none, ...claim } = row
  const isOurs = await store.write(saveIdempotencyOutcome, {
    claim: { ...claim, claimedAt: clock.now() },
    outcome: sealStoredOutcome(digest, location, outcome),
  })
  return isOurs ? outcome : 'retry'
}

async function sleep({ clock }: IdempotencyDependencies, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (cause) {
    if (!signal.aborted) throw cause
    throw new RpcError('outcomeUnknown')
  }
}

function unknownOutcome<T>(): OperationOutcome<T> {
  return { error: new RpcError('outcomeUnknown') }
}

const firstWaitMs = 5
const longestWaitMs = 200
/** More than any lease takes; a clock that is set back does not make it longer. */
const maxPolls = 1000
