import { hash } from 'node:crypto'

import { countSeal, expectDek, isDekOf, type Dek } from './dek.ts'
import { encodeFields, keyedHash } from './fields.ts'
import { deriveKeyBytes } from './kdf.ts'
import { openLayer, sealLayer, SealBrokenError, type Layer } from './layer.ts'

/** The owner of an idempotency key. The same key of two owners is two keys. */
export interface IdempotencyKeyOwner {
  readonly environment: string
  readonly merchantId: string
  readonly callerClass: string
}

/** A request with an idempotency key: everything that decides whether two requests are the same. */
export interface IdempotentRequest {
  /** The header's value. */
  readonly key: string
  readonly profile: string
  readonly method: string
  /** Canonical JSON. */
  readonly params: string
  /** Bytes of the card number that was lifted out of them; null without one. */
  readonly pan: Uint8Array | null
}

/**
 * SHA-256 over the key and the request with its PAN or code: 32 bytes that cannot be computed without the request. They are not stored; the caller
 * wipes them.
 */
export function digestRequest({ key, profile, method, params, pan }: IdempotentRequest): Uint8Array {
  const encoded = encodeFields('tessera idempotent request', [key, profile, method, params, pan])
  const digest = hash('sha256', encoded, 'buffer')
  encoded.fill(0)
  return digest
}

/** The stored form of an idempotency key, by which it is looked up: 32 bytes, specific to the owner. */
export function hashIdempotencyKey(dek: Dek, owner: IdempotencyKeyOwner, key: string): Uint8Array {
  expectDek(dek, 'idempotency')
  return keyedHash(dek.key, 'tessera idempotency key', [owner.environment, owner.merchantId, owner.callerClass, key])
}

/** The stored form of a request's identity: 32 bytes. The digest includes the key, so neither the rows nor the data key alone reveal a PAN. */
export function hashIdentity(dek: Dek, owner: IdempotencyKeyOwner, digest: Uint8Array): Uint8Array {
  expectDek(dek, 'idempotency')
  return keyedHash(dek.key, 'tessera idempotent identity', [owner.environment, owner.merchantId, owner.callerClass, digest])
}

/**
 * Seals the outcome of a request under a key that is derived from the data key *and* the request itself (NIST SP 800-108r1, counter mode): the rows and
 * the data keys without the request reveal nothing. 46 bytes more than the plaintext, which the caller wipes.
 */
export function sealOutcome(dek: Dek, owner: IdempotencyKeyOwner, digest: Uint8Array, plaintext: Uint8Array): Uint8Array {
  expectDek(dek, 'idempotency')
  countSeal(dek)
  return withOutcomeLayer(dek, owner, digest, (layer) => sealLayer(layer, plaintext))
}

/** Opens what `sealOutcome` sealed; the caller wipes it. Throws `SealBrokenError`, whatever is wrong. */
export function openOutcome(dek: Dek, owner: IdempotencyKeyOwner, digest: Uint8Array, sealed: Uint8Array): Uint8Array {
  if (!isDekOf(dek, 'idempotency')) throw new SealBrokenError()
  return withOutcomeLayer(dek, owner, digest, (layer) => openLayer(layer, sealed))
}

/** The digest is of fixed length, so as context it is unambiguous (SP 800-108r1 §4). */
function withOutcomeLayer<T>(
  dek: Dek,
  { environment, merchantId, callerClass }: IdempotencyKeyOwner,
  digest: Uint8Array,
  use: (layer: Layer) => T,
): T {
  const key = deriveKeyBytes(dek.key, 'tessera idempotent outcome', Buffer.from(digest).toString('hex'))
  try {
    return use({ key, keyId: Buffer.from(dek.keyId, 'hex'), bound: [environment, merchantId, callerClass, 'idempotent outcome'] })
  } finally {
    key.fill(0)
  }
}
