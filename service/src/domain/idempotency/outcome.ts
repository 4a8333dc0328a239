import { errorEntry, RpcError, type ErrorName } from '@tessera/contract/errors'
import { openOutcome, sealOutcome } from '@tessera/vault/outcome'

import { findIdempotencyRecord, type IdempotencyOutcome, type IdempotencyRow } from '../../store/idempotency.ts'

import type { IdempotencyDependencies } from './dependencies.ts'
import type { RecordLocation, RequestDigest } from './keyed-request.ts'

/** The outcome of an operation: its rendered result, or the error that it threw. */
export type OperationOutcome<T> = { readonly result: T } | { readonly error: RpcError }

/**
 * Whether an outcome is stored under the key: results, and errors from the `state` stage on. Not internal errors (-32400), after which the same request may
 * succeed, and not a payment without a response of the network: the record stays claimed, and the outcome is found in the receipt.
 */
export function isStorable(outcome: OperationOutcome<unknown>): boolean {
  if ('result' in outcome) return true
  const { entry } = outcome.error
  const { stage, code } = errorEntry(entry)
  return (stage === 'state' || stage === 'network') && code !== internalErrorCode && entry !== 'paymentUnknown'
}

/** The plaintext to be sealed. An error is stored by its name, since the next request may be in another language. */
export function encodeOutcome(outcome: OperationOutcome<unknown>): string {
  if ('result' in outcome) return JSON.stringify({ result: outcome.result })
  const { entry, data, retryAfterMs } = outcome.error
  return JSON.stringify({ error: { entry, data, retryAfterMs } })
}

/** Decodes the text of `encodeOutcome`, which the seal has authenticated. */
function decodeOutcome<T>(text: string): OperationOutcome<T> {
  const read = JSON.parse(text) as { result: T } | { error: { entry: ErrorName; data?: string | object; retryAfterMs?: number } }
  if ('result' in read) return read
  const { entry, ...options } = read.error
  return { error: new RpcError(entry, options) }
}

/** The record of a key, and its location. */
export interface StoredOutcome {
  readonly row: IdempotencyRow
  readonly location: RecordLocation
}

/** Finds the record of a key that has not expired. While the clock is not trusted, none has: the operation would run, and perhaps debit, once more. */
export async function findStoredOutcome(
  { store, clock, clockGuard, rows }: Pick<IdempotencyDependencies, 'store' | 'clock' | 'clockGuard' | 'rows'>,
  { locations }: RequestDigest,
): Promise<StoredOutcome | null> {
  for (const location of locations) {
    const row = await store.read(findIdempotencyRecord(location.key))
    if (row !== null) await rows.require(row)
    if (row !== null && (clock.now() < row.endsAt || !clockGuard.isTrusted())) return { row, location }
  }
  return null
}

/** `text` is from `encodeOutcome`. */
export function sealStoredOutcome({ owner, bytes }: RequestDigest, { dek, key }: RecordLocation, text: string): IdempotencyOutcome {
  // Memory of its own, to be wiped: a small Buffer would be part of a shared pool.
  const plaintext = new TextEncoder().encode(text)
  const sealed = sealOutcome(dek, owner, bytes, plaintext)
  plaintext.fill(0)
  return { ...key, sealed }
}

export function openStoredOutcome<T>(
  { owner, bytes }: RequestDigest,
  { dek }: RecordLocation,
  sealed: NonNullable<IdempotencyRow['sealed']>,
): OperationOutcome<T> {
  const plaintext = openOutcome(dek, owner, bytes, sealed)
  const outcome = decodeOutcome<T>(new TextDecoder().decode(plaintext))
  plaintext.fill(0)
  return outcome
}

/** Runs a function and returns its outcome. Throws anything but an `RpcError`. */
export async function captureOutcome<T>(run: () => Promise<T>): Promise<OperationOutcome<T>> {
  try {
    return { result: await run() }
  } catch (err) {
    if (err instanceof RpcError) return { error: err }
    throw err
  }
}

/** Returns the result, or throws the error. */
export function unwrapOutcome<T>(outcome: OperationOutcome<T>): T {
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

const internalErrorCode = -32400
