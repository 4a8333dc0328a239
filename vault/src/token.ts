import { hash } from 'node:crypto'

import { bucketOfId, issueId } from './id.ts'
import { drawBytes } from './random.ts'

export interface IssuedToken {
  readonly cardId: string
  /** `<card id>_<43 base62 digits>`: goes to the merchant once and is kept nowhere. */
  readonly token: string
  /** 32 random bytes: the half that seals the card. The caller wipes it. */
  readonly secret: Uint8Array
  /** SHA-256 of the secret: the only trace of it that is kept. */
  readonly hash: Uint8Array
}

/** Issues a token whose card id lies in `bucket`. `nowMs` is unix milliseconds. */
export function issueToken(bucket: number, nowMs: number): IssuedToken {
  const cardId = issueId(bucket, nowMs)
  const secret = drawBytes(secretBytes)
  return { cardId, token: `${cardId}_${encodeBase62(secret)}`, secret, hash: sha256(secret) }
}

export interface ReadToken {
  readonly cardId: string
  readonly bucket: number
  /** Null when the right half is not one that was ever issued; such a token is unknown like any other. */
  readonly secret: Uint8Array | null
  readonly hash: Uint8Array
}

/** Reads a token; null when it is not of token shape. */
export function readToken(text: string): ReadToken | null {
  if (!tokenShape.test(text)) return null
  const cardId = text.slice(0, 24)
  const secret = decodeBase62(text.slice(25))
  // What was hashed to find a card is 32 bytes; a whole text is longer, so its hash is no card's.
  return { cardId, bucket: bucketOfId(cardId) ?? 0, secret, hash: sha256(secret ?? text) }
}

function sha256(input: Uint8Array | string): Uint8Array {
  return hash('sha256', input, 'buffer')
}

/** The number whose big-endian bytes these are, in 43 base62 digits. */
function encodeBase62(secret: Uint8Array): string {
  const rest = Uint8Array.from(secret)
  const digits = new Uint8Array(secretDigits)
  for (let at = secretDigits - 1; at >= 0; at--) digits[at] = alphabet.charCodeAt(divideBy62(rest))
  return String.fromCharCode(...digits)
}

/** Exactly one text stands for 32 bytes: 43 digits whose number is below 2^256. Null for all others. */
function decodeBase62(text: string): Uint8Array | null {
  if (text.length !== secretDigits) return null
  const bytes = new Uint8Array(secretBytes)
  for (const digit of text) if (multiplyBy62(bytes, alphabet.indexOf(digit)) !== 0) return null
  return bytes
}

/** Divides the number in place and gives the remainder. */
function divideBy62(number: Uint8Array): number {
  let remainder = 0
  for (let i = 0; i < number.length; i++) {
    const value = remainder * 256 + (number[i] ?? 0)
    number[i] = value / 62
    remainder = value % 62
  }
  return remainder
}

/** Multiplies the number in place, adds, and gives what no longer fits. */
function multiplyBy62(number: Uint8Array, add: number): number {
  let carry = add
  for (let i = number.length - 1; i >= 0; i--) {
    carry += (number[i] ?? 0) * 62
    number[i] = carry
    carry >>= 8
  }
  return carry
}

const tokenShape = /^[0-9a-f]{24}_[0-9A-Za-z]{20,103}$/
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretBytes = 32
/** 62^43 is just above 2^256. */
const secretDigits = 43
