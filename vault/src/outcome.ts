import { createHash } from 'node:crypto'

import { countSeal, expectDek, isDekOf, type Dek } from './dek.ts'
import { encodeFields, keyedHash } from './fields.ts'
import { deriveKey } from './kdf.ts'
import { openLayer, sealLayer, SealBroken, type Layer } from './layer.ts'

/** Whose idempotency key it is. Two callers may choose the same one and never meet. */
export interface KeyOwner {
  readonly environment: string
  readonly merchantId: string
  readonly callerClass: string
}

/** A request under an idempotency key, as far as it decides whether two are the same. */
export interface KeyedRequest {
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
 * SHA-256 over the key and the request, its PAN or code among it: 32 bytes that only somebody who has the request can make. They are kept
 * nowhere; the caller wipes them.
 */
export function digestRequest({ key, profile, method, params, pan }: KeyedRequest): Uint8Array {
  const encoded = encodeFields('tessera idempotent request', [key, profile, method, params, pan])
  const digest = createHash('sha256').update(encoded).digest()
  encoded.fill(0)
  return digest
}

/** By what a key is found again: 32 bytes, of this owner's key alone. */
export function hashIdempotencyKey(dek: Dek, owner: KeyOwner, key: string): Uint8Array {
  expectDek(dek, 'idempotency')
  return keyedHash(dek.key, 'tessera idempotency key', [owner.environment, owner.merchantId, owner.callerClass, key])
}

/** By what a request is known to be the same one: 32 bytes. The digest holds the key, so neither the rows nor the data key alone tell a PAN. */
export function hashIdentity(dek: Dek, owner: KeyOwner, digest: Uint8Array): Uint8Array {
  expectDek(dek, 'idempotency')
  return keyedHash(dek.key, 'tessera idempotent identity', [owner.environment, owner.merchantId, owner.callerClass, digest])
}

/**
 * Seals what a request came to under a key that is derived from the data key *and* the request itself (NIST SP 800-108r1, counter mode): whoever
 * has the rows and the data keys, but not the request, learns nothing. 46 bytes more than the plaintext, which the caller wipes.
 */
export function sealOutcome(dek: Dek, owner: KeyOwner, digest: Uint8Array, plaintext: Uint8Array): Uint8Array {
  expectDek(dek, 'idempotency')
  countSeal(dek)
  return sealLayer(outcomeLayer(dek, owner, digest), plaintext)
}

/** Opens what `sealOutcome` sealed; the caller wipes it. Throws `SealBroken`, whatever is wrong. */
export function openOutcome(dek: Dek, owner: KeyOwner, digest: Uint8Array, sealed: Uint8Array): Uint8Array {
  if (!isDekOf(dek, 'idempotency')) throw new SealBroken()
  return openLayer(outcomeLayer(dek, owner, digest), sealed)
}

/** The digest is of fixed length, so as context it is unambiguous (SP 800-108r1 §4). */
function outcomeLayer(dek: Dek, { environment, merchantId, callerClass }: KeyOwner, digest: Uint8Array): Layer {
  const key = deriveKey(dek.key, 'tessera idempotent outcome', Buffer.from(digest).toString('hex'))
  return { key, keyId: Buffer.from(dek.keyId, 'hex'), bound: [environment, merchantId, callerClass, 'idempotent outcome'] }
}
