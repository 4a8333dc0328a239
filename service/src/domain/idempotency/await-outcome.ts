import { RpcError } from '@tessera/contract/errors'

import { findIdempotencyRecord, type IdempotencyRow, saveIdempotencyOutcome } from '../../store/idempotency.ts'

import type { IdempotencyDependencies, IdempotentOperation } from './dependencies.ts'
import type { KeyedRequest, RequestDigest } from './keyed-request.ts'
import {
  captureOutcome,
  encodeOutcome,
  isStorable,
  openStoredOutcome,
  sealStoredOutcome,
  type OperationOutcome,
  type StoredOutcome,
} from './outcome.ts'

/** A request with its digest, and its operation. */
export interface IdempotentRun<T> {
  readonly request: KeyedRequest
  readonly digest: RequestDigest
  readonly operation: IdempotentOperation<T>
}

/**
 * Returns the outcome of a claimed key. Waits for the first request until its lease ends, then reconciles the claim with the state; the operation never
 * runs again. When the first request has ended without an outcome, or its process has, `outcomeUnknown` until then. `retry`: another request has claimed
 * the key meanwhile.
 */
export async function awaitOutcome<T>(
  deps: IdempotencyDependencies,
  run: IdempotentRun<T>,
  { row: first, location }: StoredOutcome,
): Promise<OperationOutcome<T> | 'retry'> {
  const { store, clock, rows, settings, processes } = deps
  let row: IdempotencyRow | null = first
  let isEnded = false
  for (let poll = 0, waitMs = firstWaitMs; poll < maxPolls; poll++, waitMs = Math.min(waitMs * 2, maxWaitMs)) {
    if (row === null || Buffer.compare(row.identity, first.identity) !== 0) return 'retry'
    if (row.sealed !== null) return openStoredOutcome(run.digest, location, row.sealed)
    const now = clock.now()
    // A request that ends without an outcome ends its lease early, and leaves what it started to reconciliation, which waits for the whole lease.
    const isAbandoned = row.leaseUntil <= now || isEnded
    const leftMs = Math.max(row.leaseUntil, row.claimedAt + settings.leaseMs) - now
    const found = await reconcile(run, row, leftMs <= 0)
    if (found === null && isAbandoned && leftMs > 0) return unknownOutcome(leftMs)
    if (found !== null && !isStorable(found)) return found
    if (leftMs <= 0) return found === null ? unknownOutcome() : await storeReconciled(deps, run, { row, location }, found)
    // Before the row is read again: the process may have stored the outcome and ended since.
    isEnded = !(await processes.isRunning(row.processId))
    if (found === null && !isEnded) await sleep(deps, Math.min(waitMs, leftMs), run.request.signal)
    row = await store.read(findIdempotencyRecord(location.key))
    if (row !== null) await rows.require(row)
    // The outcome is known and still not stored: the first request has ended without storing it.
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
  if (find === null) throw new Error(`${method} stores claim and outcome in one transaction, but this claim has no outcome`)
  const outcome = await captureOutcome(() => find({ subject, isExpired }))
  if ('error' in outcome) return outcome
  return outcome.result === null ? null : { result: outcome.result }
}

async function storeReconciled<T>(
  { store, clock, rows }: IdempotencyDependencies,
  { digest }: IdempotentRun<T>,
  { row, location }: StoredOutcome,
  outcome: OperationOutcome<T>,
): Promise<OperationOutcome<T> | 'retry'> {
  const { sealed: _none, ...claim } = await rows.seal({ ...row, claimedAt: clock.now() })
  const isStored = await store.write(saveIdempotencyOutcome, {
    claim,
    outcome: sealStoredOutcome(digest, location, encodeOutcome(outcome)),
  })
  return isStored ? outcome : 'retry'
}

async function sleep({ clock }: IdempotencyDependencies, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (cause) {
    if (!signal.aborted) throw cause
    throw new RpcError('outcomeUnknown')
  }
}

function unknownOutcome<T>(retryAfterMs?: number): OperationOutcome<T> {
  return { error: new RpcError('outcomeUnknown', retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

const firstWaitMs = 5
const maxWaitMs = 200
/** Covers any lease, and ends the wait if the clock is set back. */
const maxPolls = 1000
