import { createCipheriv, createDecipheriv, type CipherGCM, type DecipherGCM, type KeyObject } from 'node:crypto'

import { withEncoded, type MacField } from './fields.ts'
import { randomPublic } from './random.ts'

/** The key of a layer and what it is bound to. Everything sealed has this one format. */
export interface Layer {
  /** The caller wipes bytes. */
  readonly key: KeyObject | Uint8Array
  /** 16 bytes, written in clear. */
  readonly keyId: Uint8Array
  /** The other associated data: environment, owner, purpose. The layer opens only with the same. */
  readonly bound: readonly MacField[]
}

/** The one error for every way in which something sealed can be wrong. */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError'

  constructor() {
    super('this seal does not open')
  }
}

/** AES-256-GCM (NIST SP 800-38D): version(1) algorithm(1) key id(16) nonce(12) ciphertext tag(16), 46 bytes more than the plaintext. */
export function sealLayer(layer: Layer, plaintext: Uint8Array): Uint8Array {
  const nonce = randomPublic(nonceBytes)
  const cipher = bind(
    withoutStackTraces(() => createCipheriv('aes-256-gcm', layer.key, nonce, gcm)),
    layer,
  )
  const blob = new Uint8Array(layerBytes + plaintext.length)
  blob[0] = version
  blob[1] = aes256gcm
  blob.set(layer.keyId, keyIdAt)
  blob.set(nonce, nonceAt)
  blob.set(cipher.update(plaintext), ciphertextAt)
  cipher.final()
  blob.set(cipher.getAuthTag(), blob.length - tagBytes)
  return blob
}

/** Returns the plaintext, in memory of its own. Throws `SealBrokenError`; what was deciphered until then is wiped. */
export function openLayer(layer: Layer, blob: Uint8Array): Uint8Array {
  if (!isHeadOf(layer, blob)) throw new SealBrokenError()
  const nonce = blob.subarray(nonceAt, ciphertextAt)
  const decipher = bind(
    withoutStackTraces(() => createDecipheriv('aes-256-gcm', layer.key, nonce, gcm)),
    layer,
  )
  decipher.setAuthTag(blob.subarray(blob.length - tagBytes))
  const plaintext = decipher.update(blob.subarray(ciphertextAt, blob.length - tagBytes))
  try {
    decipher.final()
    return plaintext
  } catch {
    plaintext.fill(0)
    throw new SealBrokenError()
  }
}

/** The key id written in a blob; null for a foreign blob. This proves nothing; `openLayer` does. */
export function keyIdIn(blob: Uint8Array): Uint8Array | null {
  const isOurs = blob.length >= layerBytes && blob[0] === version && blob[1] === aes256gcm
  return isOurs ? blob.subarray(keyIdAt, nonceAt) : null
}

/** The header is not encrypted, and the associated data contain the expected header, not the actual one: so it is compared. */
function isHeadOf(layer: Layer, blob: Uint8Array): boolean {
  const keyId = keyIdIn(blob)
  return keyId !== null && keyId.every((byte, i) => byte === layer.keyId[i])
}

/** Sets the associated data of a layer. */
function bind<C extends CipherGCM | DecipherGCM>(cipher: C, { keyId, bound }: Layer): C {
  withEncoded('tessera seal', [version, aes256gcm, keyId, ...bound], (associated) => cipher.setAAD(associated))
  return cipher
}

/**
 * To find out that a key is bytes and no KeyObject, Node throws two errors inside and catches them, each with a stack trace: 13 µs for a cipher instead of 5.
 * A KeyObject would take 4, and have a copy of the key until it is collected.
 */
function withoutStackTraces<T>(create: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return create()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const version = 1
const aes256gcm = 1
const keyIdAt = 2
const nonceAt = keyIdAt + 16
const nonceBytes = 12
const ciphertextAt = nonceAt + nonceBytes
const tagBytes = 16
const gcm = { authTagLength: tagBytes }
/** What a layer adds to its plaintext. */
export const layerBytes = ciphertextAt + tagBytes
