import { openOutcome, sealOutcome } from '@tessera/vault/outcome'

import { findIdempotencyRecord, type IdempotencyOutcome, type IdempotencyRow } from '../../store/idempotency.ts'

import type { IdempotencyDependencies } from './dependencies.ts'
import type { RecordLocation, RequestDigest } from './keyed-request.ts'
import { decodeOutcome, encodeOutcome, type OperationOutcome } from './outcome.ts'

/** The record of a key, and its location. */
export interface StoredOutcome {
  readonly row: IdempotencyRow
  readonly location: RecordLocation
}

/** Finds the record of a key that has not expired. */
export async function findStoredOutcome(
  { store, clock, rows }: Pick<IdempotencyDependencies, 'store' | 'clock' | 'rows'>,
  { locations }: RequestDigest,
): Promise<StoredOutcome | null> {
  for (const location of locations) {
    const row = await store.read(findIdempotencyRecord(location.key))
    if (row !== null) await rows.require(row)
    if (row !== null && clock.now() < row.endsAt) return { row, location }
  }
  return null
}

export function sealStoredOutcome(
  { owner, bytes }: RequestDigest,
  { dek, key }: RecordLocation,
  outcome: OperationOutcome<unknown>,
): IdempotencyOutcome {
  // Memory of its own, to be wiped: a small Buffer would be part of a shared pool.
  const plaintext = new TextEncoder().encode(encodeOutcome(outcome))
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
