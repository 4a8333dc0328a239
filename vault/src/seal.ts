import { Pan } from '@tessera/contract/card'
import { allocateOffHeap, copyOffHeap } from '@tessera/contract/off-heap'

import { countSeal, expectDek, isDekOf, type Dek } from './dek.ts'
import { isId } from './id.ts'
import { deriveKeyBytes } from './kdf.ts'
import { keyIdIn, layerBytes, openLayer, sealLayer, SealBrokenError, type Layer } from './layer.ts'

export { SealBrokenError } from './layer.ts'

/** The owner of a sealed card; it opens for this owner only. */
export interface CardOwner {
  readonly environment: string
  readonly merchantId: string
  readonly cardId: string
}

/**
 * Seals a card number twice: inside under a key derived from the token's secret, outside under the merchant's data key.
 * Always 112 bytes. The caller wipes the PAN and the secret. Why two layers: docs/decisions/0003-two-layers.md.
 */
export function sealPan(pan: Pan, secret: Uint8Array, dek: Dek, owner: CardOwner): Uint8Array {
  if (!isSealable(secret, owner)) throw new RangeError('a card is sealed for ids of 24 hex digits, under a secret of 32 bytes')
  const inner = withInnerLayer(secret, owner, (layer) => {
    writePadded(pan)
    return sealLayer(layer, padded)
  })
  return sealOuter(inner, dek, owner)
}

/** Opens what `sealPan` sealed. Throws `SealBrokenError`, and nothing else, whatever is wrong. The caller wipes the PAN. */
export function openPan(blob: Uint8Array, secret: Uint8Array, dek: Dek, owner: CardOwner): Pan {
  if (!isSealable(secret, owner)) throw new SealBrokenError()
  const inner = openOuter(blob, dek, owner)
  const opened = withInnerLayer(secret, owner, (layer) => openLayer(layer, inner))
  try {
    return unpadPan(opened)
  } finally {
    opened.fill(0)
  }
}

/** Replaces the outer layer. The inner layer stays closed, and no token is needed. Throws `SealBrokenError`. */
export function resealBlob(blob: Uint8Array, from: Dek, to: Dek, owner: CardOwner): Uint8Array {
  return sealOuter(openOuter(blob, from, owner), to, owner)
}

/** The data key of a blob's outer layer, 32 hex digits; null for a foreign blob. This proves nothing; opening does. */
export function keyIdOf(blob: Uint8Array): string | null {
  const keyId = blob.length === blobBytes ? keyIdIn(blob) : null
  return keyId === null ? null : Buffer.from(keyId).toString('hex')
}

function isSealable(secret: Uint8Array, owner: CardOwner): boolean {
  return secret.length === secretBytes && isId(owner.merchantId) && isId(owner.cardId)
}

function sealOuter(inner: Uint8Array, dek: Dek, owner: CardOwner): Uint8Array {
  expectDek(dek, 'card', owner.merchantId)
  countSeal(dek)
  return sealLayer(outerLayer(dek, owner), inner)
}

function openOuter(blob: Uint8Array, dek: Dek, owner: CardOwner): Uint8Array {
  if (!isDekOf(dek, 'card', owner.merchantId)) throw new SealBrokenError()
  return openLayer(outerLayer(dek, owner), blob)
}

function outerLayer(dek: Dek, owner: CardOwner): Layer {
  return { key: dek.key, keyId: Buffer.from(dek.keyId, 'hex'), bound: boundTo(owner, 'outer') }
}

/** The ids are of fixed length, so one after the other they are unambiguous (SP 800-108r1 §4). */
function withInnerLayer<T>(secret: Uint8Array, owner: CardOwner, use: (layer: Layer) => T): T {
  const key = deriveKeyBytes(secret, innerKeyLabel, owner.merchantId + owner.cardId)
  try {
    return use({ key, keyId: innerKeyId, bound: boundTo(owner, 'inner') })
  } finally {
    key.fill(0)
    padded.fill(0)
  }
}

function boundTo({ environment, merchantId, cardId }: CardOwner, layer: 'inner' | 'outer'): Layer['bound'] {
  return [environment, merchantId, cardId, layer]
}

/** length(1) digits zeros: the same length for every number, so that a sealed card does not reveal how many digits it has. */
function writePadded(pan: Pan): void {
  padded[0] = pan.length
  padded.set(pan.reveal(), 1)
}

function unpadPan(opened: Uint8Array): Pan {
  return Pan.over(copyOffHeap(opened.subarray(1, 1 + (opened[0] ?? 0))))
}

const innerKeyLabel = 'tessera card inner key'
/** In the place of the outer layer's key id: the data key may change, the inner layer must not. 16 bytes. */
const innerKeyId = Buffer.from('tessera inner 01')
const secretBytes = 32
const paddedBytes = 1 + 19
/** The padded number while it is sealed: outside the collector's heap, zeroed between uses. */
const padded = allocateOffHeap(paddedBytes)
const blobBytes = paddedBytes + layerBytes + layerBytes
