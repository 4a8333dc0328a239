import { createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'

import type { Dek, KeyPurpose } from './dek.ts'
import { encodeFields, keyedHash } from './fields.ts'
import { issueRandomId } from './id.ts'
import type { Kek } from './kek.ts'
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

/** Unwraps a data key and checks it. Throws `KeyRejectedError`, naming the key. */
export async function unwrapDataKey(kek: Kek, environment: string, stored: WrappedKey): Promise<Dek> {
  const { keyId, purpose, owner, epoch, createdAt } = stored
  const name = `key ${keyId} (${purpose}${owner === '' ? '' : ` of ${owner}`}, epoch ${epoch})`
  if (stored.kekId !== kek.id) throw new KeyRejectedError(`${name} is wrapped by KEK ${stored.kekId}, and this is KEK ${kek.id}`)
  const raw = await kek.unwrap(stored.wrapped, associatedOf(stored, environment)).catch((cause: unknown) => {
    throw new KeyRejectedError(`${name} does not unwrap: it was altered, swapped, or belongs to another environment`, { cause })
  })
  const key = raw.length === keyBytes ? createSecretKey(raw) : null
  raw.fill(0)
  if (key === null || !isCheckValueOf(key, stored.checkValue))
    throw new KeyRejectedError(`${name} unwraps to another key: its check value differs`)
  return Object.freeze({ keyId, purpose, owner, epoch, createdAt, key })
}

function associatedOf({ purpose, owner, keyId, createdAt, epoch }: Omit<Dek, 'key'>, environment: string): Uint8Array {
  return encodeFields('tessera data key', [purpose, environment, owner, keyId, createdAt, epoch])
}

function checkValueOf(key: KeyObject): Uint8Array {
  return Uint8Array.from(keyedHash(key, 'tessera key check value', []).subarray(0, 8))
}

function isCheckValueOf(key: KeyObject, value: Uint8Array): boolean {
  const expected = checkValueOf(key)
  return value.length === expected.length && timingSafeEqual(value, expected)
}

const keyBytes = 32
