import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'

import { Pan } from '@tessera/contract/card'

import { countSeal, expectDek, isDekOf, type Dek } from './dek.ts'
import { encodeFields } from './fields.ts'
import { isId } from './id.ts'
import { deriveKey } from './kdf.ts'
import { drawNonce, nonceBytes } from './random.ts'

/** Whom a sealed card belongs to; it opens for nobody else. */
export interface CardOwner {
  readonly environment: string
  readonly merchantId: string
  readonly cardId: string
}

/** The one answer to every way in which a sealed card can be wrong. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
  constructor() {
    super('this sealed card does not open')
  }
}

/**
 * Seals a card number twice: within, under a key that only the token's secret gives; without, under the merchant's data key.
 * Always 112 bytes. The caller wipes the PAN and the secret.
 */
export function sealPan(pan: Pan, secret: Uint8Array, dek: Dek, owner: CardOwner): Uint8Array {
  const inner = innerLayer(secret, owner)
  const padded = padPan(pan)
  const sealed = sealLayer(inner, padded)
  padded.fill(0)
  return sealOuter(sealed, dek, owner)
}

/** Opens what `sealPan` sealed. Throws `SealBroken`, and nothing else, whatever is wrong. The caller wipes the PAN. */
export function openPan(blob: Uint8Array, secret: Uint8Array, dek: Dek, owner: CardOwner): Pan {
  const sealed = openOuter(blob, dek, owner)
  if (secret.length !== secretBytes) throw new SealBroken()
  const padded = openLayer(innerLayer(secret, owner), sealed)
  try {
    return unpadPan(padded)
  } finally {
    padded.fill(0)
  }
}

/** Puts a new outer layer in place of the old one. The inner layer is not opened and no token is needed. Throws `SealBroken`. */
export function resealBlob(blob: Uint8Array, from: Dek, to: Dek, owner: CardOwner): Uint8Array {
  return sealOuter(openOuter(blob, from, owner), to, owner)
}

/** The data key of a blob's outer layer, 32 hex digits; null when it is no blob of ours. Nothing is proved by it. */
export function keyIdOf(blob: Uint8Array): string | null {
  const isOurs = blob.length === blobBytes && blob[0] === version && blob[1] === aes256gcm
  return isOurs ? Buffer.from(blob.subarray(2, headBytes)).toString('hex') : null
}

/** One of the two layers; both have the same form. */
interface Layer {
  readonly key: KeyObject
  readonly keyId: Uint8Array
  readonly purpose: 'inner' | 'outer'
  readonly owner: CardOwner
}

function innerLayer(secret: Uint8Array, owner: CardOwner): Layer {
  if (secret.length !== secretBytes || !isId(owner.merchantId) || !isId(owner.cardId))
    throw new RangeError('a card is sealed for 24-digit ids under 32 bytes')
  // The ids are of fixed length, so their concatenation is unambiguous (SP 800-108r1 §4).
  const key = deriveKey(createSecretKey(secret), innerKeyLabel, owner.merchantId + owner.cardId)
  return { key, keyId: innerKeyId, purpose: 'inner', owner }
}

function outerLayer(dek: Dek, owner: CardOwner): Layer {
  return { key: dek.key, keyId: Buffer.from(dek.keyId, 'hex'), purpose: 'outer', owner }
}

function sealOuter(sealed: Uint8Array, dek: Dek, owner: CardOwner): Uint8Array {
  expectDek(dek, 'card', owner.merchantId)
  countSeal(dek)
  return sealLayer(outerLayer(dek, owner), sealed)
}

function openOuter(blob: Uint8Array, dek: Dek, owner: CardOwner): Uint8Array {
  if (!isDekOf(dek, 'card', owner.merchantId)) throw new SealBroken()
  return openLayer(outerLayer(dek, owner), blob)
}

/** version(1) algorithm(1) key id(16) nonce(12) ciphertext tag(16). */
function sealLayer(layer: Layer, plaintext: Uint8Array): Uint8Array {
  const nonce = drawNonce()
  const cipher = createCipheriv('aes-256-gcm', layer.key, nonce, { authTagLength: tagBytes }).setAAD(associatedOf(layer))
  const blob = new Uint8Array(frameBytes + plaintext.length)
  blob[0] = version
  blob[1] = aes256gcm
  blob.set(layer.keyId, 2)
  blob.set(nonce, headBytes)
  blob.set(cipher.update(plaintext), headBytes + nonceBytes)
  cipher.final()
  blob.set(cipher.getAuthTag(), blob.length - tagBytes)
  return blob
}

function openLayer(layer: Layer, blob: Uint8Array): Uint8Array {
  if (blob.length < frameBytes || blob[0] !== version || blob[1] !== aes256gcm) throw new SealBroken()
  const nonce = blob.subarray(headBytes, headBytes + nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', layer.key, nonce, { authTagLength: tagBytes }).setAAD(associatedOf(layer))
  decipher.setAuthTag(blob.subarray(blob.length - tagBytes))
  const plaintext = decipher.update(blob.subarray(headBytes + nonceBytes, blob.length - tagBytes))
  try {
    decipher.final()
    return plaintext
  } catch {
    plaintext.fill(0)
    throw new SealBroken()
  }
}

/** What a layer is bound to, beyond its own bytes. */
function associatedOf({ keyId, purpose, owner }: Layer): Uint8Array {
  return encodeFields('tessera seal', [version, aes256gcm, keyId, owner.environment, owner.merchantId, owner.cardId, purpose])
}

/** length(1) digits zeros, always 20 bytes: a sealed card does not tell how long its number is. */
function padPan(pan: Pan): Uint8Array {
  const padded = new Uint8Array(paddedBytes)
  padded[0] = pan.length
  padded.set(pan.reveal(), 1)
  return padded
}

function unpadPan(padded: Uint8Array): Pan {
  const length = padded[0] ?? 0
  if (padded.length !== paddedBytes || length >= paddedBytes) throw new SealBroken()
  return Pan.over(Uint8Array.from(padded.subarray(1, 1 + length)))
}

const version = 1
const aes256gcm = 1
/** The field that names the data key, in the layer that has none: it must not change when the outer layer does. */
const innerKeyId = Buffer.from('tessera inner 01', 'latin1')
const innerKeyLabel = 'tessera card inner key'
const secretBytes = 32
const headBytes = 1 + 1 + 16
const tagBytes = 16
const frameBytes = headBytes + nonceBytes + tagBytes
const paddedBytes = 1 + 19
const blobBytes = frameBytes + frameBytes + paddedBytes
