import { hash } from 'node:crypto'

import { decodeBase62, encodeBase62 } from './base62.ts'
import { bucketOfId, issueId } from './id.ts'
import { drawSecret } from './random.ts'

export interface IssuedToken {
  readonly cardId: string
  /** `<card id>_<43 base62 digits>`: goes to the merchant and is kept nowhere. */
  readonly token: string
  /** 32 random bytes: the half that seals the card. The caller wipes it. */
  readonly secret: Uint8Array
  /** SHA-256 of the secret: all that is kept of it. */
  readonly hash: Uint8Array
}

/** Issues a token whose card id lies in `bucket`. `nowMs` is unix milliseconds. */
export function issueToken(bucket: number, nowMs: number): IssuedToken {
  const cardId = issueId(bucket, nowMs)
  const secret = drawSecret(32)
  return { cardId, token: `${cardId}_${encodeBase62(secret)}`, secret, hash: sha256(secret) }
}

export interface ReadToken {
  readonly cardId: string
  readonly bucket: number
  /** Null when no token was ever issued with this right half; such a token is unknown like any other. The caller wipes it. */
  readonly secret: Uint8Array | null
  readonly hash: Uint8Array
}

/** Reads a token; null when it is not of token shape. */
export function readToken(text: string): ReadToken | null {
  if (!tokenShape.test(text)) return null
  const cardId = text.slice(0, 24)
  const secret = decodeBase62(text.slice(25))
  // A kept hash is that of 32 bytes; the text is longer, so its hash is no card's, and is as quickly made.
  return { cardId, bucket: bucketOfId(cardId) ?? 0, secret, hash: sha256(secret ?? text) }
}

function sha256(input: Uint8Array | string): Uint8Array {
  return hash('sha256', input, 'buffer')
}

const tokenShape = /^[0-9a-f]{24}_[0-9A-Za-z]{20,103}$/
