import { createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'

import type { Dek, KeyPurpose } from './dek.ts'
import { encodeFields, keyedHash } from './fields.ts'
import { issueRandomId } from './id.ts'
import { KekUnavailableError, type Kek } from './kek.ts'
import { randomSecret } from './random.ts'

export type KeyState = 'active' | 'decrypt_only' | 'destroyed'

/** A stored data key: wrapped by the KEK, and bound to everything stored beside it except its state. */
export interface WrappedKey {
  readonly keyId: string
  readonly purpose: KeyPurpose
  readonly owner: string
  readonly epoch: number
  readonly state: KeyState
  /** The KEK that wrapped it. */
  readonly kekId: string
  /** Empty once destroyed. */
  readonly wrapped: Uint8Array
  /** The first 8 bytes of an HMAC under the key itself: proves that the unwrapped key is the one that was wrapped. */
  readonly checkValue: Uint8Array
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** A stored key that does not unwrap: altered, swapped with another, or of another KEK or environment. */
export class KeyRejectedError extends Error {
  override readonly name = 'KeyRejectedError'
}

/** A stored key of a KEK that is not at hand. */
export class ForeignKeyError extends KeyRejectedError {}

/** Generates a data key and wraps it. */
export async function createDataKey(
  kek: Kek,
  environment: string,
  named: Pick<WrappedKey, 'purpose' | 'owner' | 'epoch' | 'createdAt'>,
): Promise<{ wrapped: WrappedKey; dek: Dek }> {
  const keyId = issueRandomId(16)
  const raw = randomSecret(keyBytes)
  const key = createSecretKey(raw)
  const wrapped = await kek.wrap(raw, associatedOf({ ...named, keyId }, environment)).finally(() => raw.fill(0))
  const dek = Object.freeze({ ...named, keyId, key })
  return { dek, wrapped: { ...named, keyId, state: 'active', kekId: kek.id, wrapped, checkValue: checkValueOf(key) } }
}

/** Unwraps a data key and checks it. Throws `KeyRejectedError`, naming the key, and `KekUnavailableError` when it cannot be known. */
export async function unwrapDataKey(keks: readonly Kek[], environment: string, stored: WrappedKey): Promise<Dek> {
  const raw = await unwrapChecked(keks, environment, stored)
  const { keyId, purpose, owner, epoch, createdAt } = stored
  const key = createSecretKey(raw)
  raw.fill(0)
  return Object.freeze({ keyId, purpose, owner, epoch, createdAt, key })
}

/**
 * The same data key, wrapped by `to`, and unwrapped again to prove it. Throws `KeyRejectedError` when it does not unwrap, and `KekUnavailableError` when
 * a provider does not answer.
 */
export async function rewrapDataKey(
  { keks, to, environment }: { readonly keks: readonly Kek[]; readonly to: Kek; readonly environment: string },
  stored: WrappedKey,
): Promise<WrappedKey> {
  const raw = await unwrapChecked(keks, environment, stored)
  const wrapped = await to.wrap(raw, associatedOf(stored, environment)).finally(() => raw.fill(0))
  const rewrapped = { ...stored, kekId: to.id, wrapped }
  const again = await unwrapChecked([to], environment, rewrapped)
  again.fill(0)
  return rewrapped
}

/** The bytes of a key whose check value is right; the caller wipes them. */
async function unwrapChecked(keks: readonly Kek[], environment: string, stored: WrappedKey): Promise<Uint8Array> {
  const { keyId, purpose, owner, epoch } = stored
  const name = `key ${keyId} (${purpose}${owner === '' ? '' : ` of ${owner}`}, epoch ${epoch})`
  const kek = keks.find(({ id }) => id === stored.kekId)
  if (kek === undefined) {
    const ids = keks.map(({ id }) => id).join(' or ')
    throw new ForeignKeyError(`${name} is wrapped by KEK ${stored.kekId}, and this is KEK ${ids}`)
  }
  const raw = await kek.unwrap(stored.wrapped, associatedOf(stored, environment)).catch((cause: unknown) => {
    if (cause instanceof KekUnavailableError) throw cause
    throw new KeyRejectedError(`${name} does not unwrap: it was altered, swapped, or belongs to another environment`, { cause })
  })
  if (raw.length === keyBytes && isCheckValueOf(raw, stored.checkValue)) return raw
  raw.fill(0)
  throw new KeyRejectedError(`${name} unwraps to another key: its check value differs`)
}

function associatedOf({ purpose, owner, keyId, createdAt, epoch }: Omit<Dek, 'key'>, environment: string): Uint8Array {
  return encodeFields('tessera data key', [purpose, environment, owner, keyId, createdAt, epoch])
}

function checkValueOf(key: KeyObject): Uint8Array {
  return Uint8Array.from(keyedHash(key, 'tessera key check value', []).subarray(0, 8))
}

function isCheckValueOf(raw: Uint8Array, value: Uint8Array): boolean {
  const expected = checkValueOf(createSecretKey(raw))
  return value.length === expected.length && timingSafeEqual(value, expected)
}

const keyBytes = 32
