import { timingSafeEqual } from 'node:crypto'

import { RpcError } from '@tessera/contract/errors'

import {
  deleteOldIdempotencyRecords,
  endIdempotencyLease,
  findIdempotencyRecord,
  type IdempotencyClaim,
  type IdempotencyOutcome,
  type IdempotencyRow,
  idempotencyTable,
  saveIdempotencyOutcome,
} from '../../store/idempotency.ts'
import { deleteInPages, StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../../store/store.ts'

import { retryOnConflict } from '../concurrency.ts'
import { makeVerifiedRows, type VerifiedRowDependencies } from '../verified-rows.ts'

import { awaitOutcome, type IdempotentRun } from './await-outcome.ts'
import type { IdempotencyDependencies, IdempotentOperation } from './dependencies.ts'
import { IdempotencyConflict, type IdempotencyHandle } from './handle.ts'
import { makeRunningProcesses } from './processes.ts'
import { digestKeyedRequest, type KeyedRequest, type RequestDigest } from './keyed-request.ts'
import {
  captureOutcome,
  encodeOutcome,
  findStoredOutcome,
  isStorable,
  sealStoredOutcome,
  unwrapOutcome,
  type OperationOutcome,
} from './outcome.ts'

/** Runs requests that are repeated with the same Idempotency-Key once (docs/reference/wire.md#idempotency). */
export interface Idempotency {
  /**
   * Runs an operation, or returns the outcome of the request that ran it first. Throws `idempotencyMismatch` if the key belongs to another request, and
   * the error of the operation.
   */
  once<T extends object>(request: KeyedRequest, operation: IdempotentOperation<T>): Promise<T>
  /** Deletes expired records and returns how many. A background job calls it. */
  deleteOld(stopping?: AbortSignal): Promise<number>
}

/** `processes`: those that the caller watches already. */
export function makeIdempotency(
  input: Omit<IdempotencyDependencies, 'rows' | 'processes'> &
    Partial<Pick<IdempotencyDependencies, 'processes'>> &
    VerifiedRowDependencies,
): Idempotency {
  const deps = {
    ...input,
    rows: makeVerifiedRows(input, idempotencyTable),
    processes: input.processes ?? makeRunningProcesses(input.store, input.clock),
  }
  return Object.freeze({
    once: <T extends object>(request: KeyedRequest, operation: IdempotentOperation<T>) => once(deps, request, operation),
    deleteOld: (stopping?: AbortSignal) => deleteInPages(deps.store, deleteOldIdempotencyRecords, deps.clock.now(), stopping),
  })
}

async function once<T extends object>(deps: IdempotencyDependencies, request: KeyedRequest, operation: IdempotentOperation<T>): Promise<T> {
  const digest = await digestKeyedRequest(deps, request)
  const run = { request, digest, operation }
  try {
    // After losing to a duplicate request the next attempt finds its record.
    return await retryOnConflict(async () => {
      const stored = await findStoredOutcome(deps, digest)
      if (stored !== null && !timingSafeEqual(stored.row.identity, stored.location.identity)) throw new RpcError('idempotencyMismatch')
      const outcome = stored === null ? await runFirst(deps, run) : await awaitOutcome(deps, run, stored)
      return outcome === 'retry' ? null : unwrapOutcome(outcome)
    })
  } finally {
    digest.bytes.fill(0)
  }
}

/** Runs the operation, and stores the outcome unless one of its transactions has. `retry`: a duplicate request was first, and its outcome applies. */
async function runFirst<T extends object>(
  deps: IdempotencyDependencies,
  { request, digest, operation }: IdempotentRun<T>,
): Promise<OperationOutcome<T> | 'retry'> {
  const [seal, processId] = await Promise.all([deps.rows.loadSealer(), deps.processes.ownId()])
  const recorder = makeOutcomeRecorder(deps, request, digest, { seal, processId })
  try {
    const outcome = await captureOutcome(() => operation.run(recorder.handle))
    if (isStorable(outcome)) return (await storeOrUnknown(recorder, outcome)) ? outcome : 'retry'
    void endLease(deps, recorder, request.signal)
    return outcome
  } catch (err) {
    if (err instanceof IdempotencyConflict) return 'retry'
    void endLease(deps, recorder, request.signal)
    throw err
  }
}

/** The operation has run: when its outcome cannot be stored now, it would be wrong to say that nothing was done. */
async function storeOrUnknown(recorder: OutcomeRecorder, outcome: OperationOutcome<unknown>): Promise<boolean> {
  try {
    return await recorder.store(outcome)
  } catch (err) {
    const isRefused = err instanceof StoreUnavailable || err instanceof StoreOverloaded || err instanceof StoreFull
    throw isRefused ? new StoreOutcomeUnknown(`the outcome could not be stored: ${err.message}`, { cause: err }) : err
  }
}

/**
 * Tells duplicate requests that this one has ended without an outcome: usually the connection to the database was lost at a commit, so it is repeated
 * until the database is back. Without it they would wait for the rest of the lease.
 */
async function endLease(
  { store, clock, rows }: IdempotencyDependencies,
  { lastClaim }: OutcomeRecorder,
  stopping: AbortSignal,
): Promise<void> {
  const claim = lastClaim()
  if (claim === null || leasesEnding >= maxLeasesEnding) return
  leasesEnding++
  try {
    const { sealed: _none, ...ended } = await rows.seal({ ...claim, sealed: null, leaseUntil: clock.now() })
    for (const pauseMs of [...endLeasePausesMs, null]) {
      try {
        await store.write(endIdempotencyLease, { claim: ended })
        return
      } catch (err) {
        if (pauseMs === null || !(err instanceof StoreUnavailable || err instanceof StoreOutcomeUnknown)) return
        await clock.sleep(pauseMs, stopping)
      }
    }
  } catch {
    // Without a key for its MAC, or when the service stops, the claim stays as it is, and its lease ends by itself.
  } finally {
    leasesEnding--
  }
}

let leasesEnding = 0
/** More than this end by themselves. */
const maxLeasesEnding = 1000
const endLeasePausesMs = [100, 300, 600, 1000, 2000, 4000, 8000]

/** Records the outcome of one run of an operation. */
interface OutcomeRecorder {
  /** For the operation's own transactions. */
  readonly handle: IdempotencyHandle<object>
  /** The claim that the operation has passed to a transaction last, whatever became of it; null before the first. */
  readonly lastClaim: () => IdempotencyClaim | null
  /** Stores an outcome unless one of the transactions has. False if another request has claimed the key. */
  store(outcome: OperationOutcome<unknown>): Promise<boolean>
}

function makeOutcomeRecorder(
  { store, clock, settings }: IdempotencyDependencies,
  { method, requestId }: KeyedRequest,
  digest: RequestDigest,
  { seal, processId }: { readonly seal: (row: IdempotencyRow) => IdempotencyRow; readonly processId: string },
): OutcomeRecorder {
  const [location] = digest.locations
  const { key, identity, dek } = location
  /** The outcomes that were passed to a transaction, and those of them whose transaction was committed. */
  const inTransactions = new Map<IdempotencyOutcome, string>()
  const committed = new Set<string>()
  let claimedAtMs: number | null = null
  let subject = ''
  let last: IdempotencyClaim | null = null
  return { handle: { claim: claimFor, outcome: outcomeRow, confirm }, lastClaim: () => last, store: storeOutcome }

  function claimFor(claimed: string): IdempotencyClaim {
    claimedAtMs ??= clock.moment().monotonicMs
    return (last = claim(claimed))
  }

  function claim(claimed: string): IdempotencyClaim {
    subject = claimed
    const now = clock.now()
    const times = { claimedAt: now, leaseUntil: now + settings.leaseMs, endsAt: now + settings.retentionMs }
    const ids = { hashKeyId: dek.keyId, method, subject, requestId, processId }
    return seal({ ...key, identity, ...ids, ...times, sealed: null, mac: new Uint8Array(0) })
  }

  function outcomeRow(result: object): IdempotencyOutcome | null {
    const outcome = result instanceof RpcError ? { error: result } : { result }
    if (!isStorable(outcome)) return null
    const text = encodeOutcome(outcome)
    const row = sealStoredOutcome(digest, location, text)
    inTransactions.set(row, text)
    return row
  }

  function confirm(row: IdempotencyOutcome): void {
    const text = inTransactions.get(row)
    if (text !== undefined) committed.add(text)
  }

  /**
   * Long before the end of the lease, while no other request may store an outcome under the key. Later a duplicate request on a machine whose clock is ahead
   * may have, so that the record decides.
   */
  function isStored(text: string): boolean {
    return committed.has(text) && claimedAtMs !== null && clock.moment().monotonicMs - claimedAtMs < settings.leaseMs / 2
  }

  async function storeOutcome(outcome: OperationOutcome<unknown>): Promise<boolean> {
    // An outcome in a transaction is stored unless the transaction changed nothing.
    const text = encodeOutcome(outcome)
    if (isStored(text)) return true
    const row = [...inTransactions.values()].includes(text) ? await store.read(findIdempotencyRecord(key)) : null
    if (row !== null && row.requestId === requestId && row.sealed !== null) return true
    return store.write(saveIdempotencyOutcome, { claim: claim(subject), outcome: sealStoredOutcome(digest, location, text) })
  }
}
