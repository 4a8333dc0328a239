import { allocateOffHeap } from '@tessera/contract/off-heap'

import { decodeBase62, decodeBase62Into, encodeBase62, isBase62 } from './base62.ts'
import { sha256 } from './hmac.ts'
import { bucketOfId, drawId, isId, issueId } from './id.ts'
import { fillSecret } from './random.ts'

export interface IssuedToken {
  readonly cardId: string
  /** `<card id>_<43 base62 digits>`: returned to the merchant and not stored. */
  readonly token: string
  /** 32 random bytes: the half of the token that seals the card. The caller wipes it. */
  readonly secret: Uint8Array
  /** SHA-256 of the secret: its stored form. */
  readonly hash: Uint8Array
}

/** Issues a token whose card id is in `bucket`. `nowMs` is unix milliseconds. */
export function issueToken(bucket: number, nowMs: number): IssuedToken {
  const cardId = issueId(bucket, nowMs)
  const secret = allocateOffHeap(secretBytes)
  const text = drawId(() => encodeBase62(fillSecret(secret)))
  return { cardId, token: `${cardId}_${text}`, secret, hash: sha256(secret) }
}

/** What the card of a token is found by, and recognized. */
export interface CardTokenKey {
  readonly cardId: string
  readonly bucket: number
  readonly hash: Uint8Array
}

export interface ParsedToken extends CardTokenKey {
  /** Null when no token can have been issued with this right half; such a token is unknown like any other. The caller wipes it. */
  readonly secret: Uint8Array | null
}

/** Parses a token; null when it is not of token shape. */
export function parseToken(text: string): ParsedToken | null {
  if (!isTokenShape(text)) return null
  const cardId = text.slice(0, 24)
  const secret = decodeBase62(text.slice(25))
  // A stored hash is that of 32 bytes. The text is longer, so its hash belongs to no card, and takes the same time.
  return { cardId, bucket: bucketOfId(cardId) ?? 0, secret, hash: sha256(secret ?? text) }
}

/** The same without the secret half, for calls that open no number: 2 µs less than `parseToken`, and nothing is left to be wiped. */
export function parseTokenKey(text: string): CardTokenKey | null {
  const cardId = text.slice(0, 24)
  const half = text.slice(25)
  if (!decodeBase62Into(scratch, half) || text[24] !== '_' || !isId(cardId)) {
    scratch.fill(0)
    // No token was issued with such a right half, whatever its shape.
    return isTokenShape(text) ? { cardId, bucket: bucketOfId(cardId) ?? 0, hash: sha256(text) } : null
  }
  const hash = sha256(scratch)
  scratch.fill(0)
  return { cardId, bucket: bucketOfId(cardId) ?? 0, hash }
}

/** Whether a text is `<card id>_<20 to 103 letters and digits>`: not that it was issued. */
export function isTokenShape(text: string): boolean {
  if (text.length < shapeMin || text.length > shapeMax || text[24] !== '_') return false
  for (let i = 25; i < text.length; i++) if (!isBase62(text.charCodeAt(i))) return false
  return isId(text.slice(0, 24))
}

const secretBytes = 32
const shapeMin = 24 + 1 + 20
const shapeMax = 24 + 1 + 103
/** Outside the collector's heap; zeroed between uses. */
const scratch = allocateOffHeap(secretBytes)
