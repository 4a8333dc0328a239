import { createCipheriv, createDecipheriv, type CipherGCM, type DecipherGCM, type KeyObject } from 'node:crypto'

import { withEncoded, type MacField } from './fields.ts'
import { drawPublic } from './random.ts'

/** What one layer is sealed with and bound to. All that is sealed is written alike. */
export interface Layer {
  readonly key: KeyObject
  /** 16 bytes, written in clear. */
  readonly keyId: Uint8Array
  /** What else it is bound to: environment, owner, what for. It opens with the same alone. */
  readonly bound: readonly MacField[]
}

/** The one answer to every way in which something sealed can be wrong. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'

  constructor() {
    super('this seal does not open')
  }
}

/** AES-256-GCM (NIST SP 800-38D): version(1) algorithm(1) key id(16) nonce(12) ciphertext tag(16), 46 bytes more than the plaintext. */
export function sealLayer(layer: Layer, plaintext: Uint8Array): Uint8Array {
  const nonce = drawPublic(nonceBytes)
  const cipher = bind(createCipheriv('aes-256-gcm', layer.key, nonce, gcm), layer)
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

/** Gives the plaintext, in memory of its own. Throws `SealBroken`; what had been deciphered by then is wiped unseen. */
export function openLayer(layer: Layer, blob: Uint8Array): Uint8Array {
  if (!isHeadOf(layer, blob)) throw new SealBroken()
  const nonce = blob.subarray(nonceAt, ciphertextAt)
  const decipher = bind(createDecipheriv('aes-256-gcm', layer.key, nonce, gcm), layer)
  decipher.setAuthTag(blob.subarray(blob.length - tagBytes))
  const plaintext = decipher.update(blob.subarray(ciphertextAt, blob.length - tagBytes))
  try {
    decipher.final()
    return plaintext
  } catch {
    plaintext.fill(0)
    throw new SealBroken()
  }
}

/** The key id written in a blob; null when it is none of ours. Proves nothing: `openLayer` does. */
export function keyIdIn(blob: Uint8Array): Uint8Array | null {
  const isOurs = blob.length >= layerBytes && blob[0] === version && blob[1] === aes256gcm
  return isOurs ? blob.subarray(keyIdAt, nonceAt) : null
}

/** The head is not enciphered, and the associated data say what it should be, not what it is: so it is compared. */
function isHeadOf(layer: Layer, blob: Uint8Array): boolean {
  const keyId = keyIdIn(blob)
  return keyId !== null && keyId.every((byte, i) => byte === layer.keyId[i])
}

/** Gives the cipher all that a layer is bound to. */
function bind<C extends CipherGCM | DecipherGCM>(cipher: C, { keyId, bound }: Layer): C {
  withEncoded('tessera seal', [version, aes256gcm, keyId, ...bound], (associated) => cipher.setAAD(associated))
  return cipher
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
