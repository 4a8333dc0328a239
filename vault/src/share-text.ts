import { createHash, timingSafeEqual } from 'node:crypto'

import { allocateOffHeap } from '@tessera/contract/off-heap'

import type { SecretShare } from './shamir.ts'

/** A custodian's share of a KEK. */
export interface CustodianShare extends SecretShare {
  /** The set that it belongs to: eight letters and digits. */
  readonly setId: string
  /** How many shares of the set give the KEK. */
  readonly threshold: number
}

/** Why a text is no share. The message says what is wrong, and contains nothing of the share. */
export class ShareTextError extends Error {
  override readonly name = 'ShareTextError'
}

/**
 * A share as text: 72 letters and digits of Crockford's base 32 in groups of four, without I, L, O and U. They are
 * version(1) threshold(1) index(1) reserved(1) set(5) value(32) checksum(4).
 */
export function formatShare({ setId, threshold, x, y }: CustodianShare): string {
  const bytes = allocateOffHeap(shareBytes).fill(0)
  bytes.set([version, threshold, x, 0])
  bytes.set(decodeBase32(setId), setAt)
  bytes.set(y, valueAt)
  bytes.set(checksumOf(bytes), checksumAt)
  const text = encodeBase32(bytes)
  bytes.fill(0)
  return (text.match(/.{4}/g) ?? []).join('-')
}

/** Reads a share as it was typed or pasted: small letters, blanks, and O for 0 or I and L for 1 are accepted. The caller wipes `y`. Throws `ShareTextError`. */
export function parseShare(text: string): CustodianShare {
  const bytes = decodeShare(text)
  try {
    return readShare(bytes)
  } finally {
    bytes.fill(0)
  }
}

function decodeShare(text: string): Uint8Array {
  const typed = text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const wrongAt = typed.search(/[^0-9A-HJKMNP-TV-Z]/)
  if (wrongAt !== -1) throw new ShareTextError(`group ${String(Math.floor(wrongAt / 4) + 1)} has a character that no share has`)
  if (typed.length !== shareCharacters)
    throw new ShareTextError(
      `a share has 18 groups of four characters, ${String(shareCharacters)} in all; this has ${String(typed.length)}`,
    )
  return decodeBase32(typed)
}

function readShare(bytes: Uint8Array): CustodianShare {
  if (!timingSafeEqual(bytes.subarray(checksumAt), checksumOf(bytes)))
    throw new ShareTextError('the checksum is wrong: a character is mistyped, or two are exchanged')
  const [found = 0, threshold = 0, x = 0] = bytes
  if (found !== version)
    throw new ShareTextError(`this is a share of format ${String(found)}, and this version reads format ${String(version)}`)
  if (threshold < 2 || x < 1) throw new ShareTextError('this is no share')
  const y = allocateOffHeap(valueBytes)
  y.set(bytes.subarray(valueAt, checksumAt))
  return { setId: encodeBase32(bytes.subarray(setAt, valueAt)), threshold, x, y }
}

/** A new id of a set, from five random bytes. */
export function formatSetId(random: Uint8Array): string {
  return encodeBase32(random.subarray(0, valueAt - setAt))
}

function checksumOf(bytes: Uint8Array): Buffer {
  const digest = createHash('sha256').update('tessera custodian share').update(bytes.subarray(0, checksumAt)).digest()
  return digest.subarray(0, shareBytes - checksumAt)
}

/** Five bytes are eight characters. */
function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 5) {
    let block = 0n
    for (let i = 0; i < 5; i++) block = (block << 8n) | BigInt(bytes[at + i] ?? 0)
    for (let i = 7; i >= 0; i--) text += alphabet.charAt(Number((block >> BigInt(i * 5)) & 31n))
  }
  return text
}

function decodeBase32(text: string): Uint8Array {
  const bytes = allocateOffHeap((text.length / 8) * 5)
  for (let at = 0; at < text.length; at += 8) {
    let block = 0n
    for (let i = 0; i < 8; i++) block = (block << 5n) | BigInt(alphabet.indexOf(text.charAt(at + i)))
    for (let i = 0; i < 5; i++) bytes[(at / 8) * 5 + i] = Number((block >> BigInt((4 - i) * 8)) & 255n)
  }
  return bytes
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const version = 1
const setAt = 4
const valueAt = 9
const valueBytes = 32
const checksumAt = valueAt + valueBytes
const shareBytes = 45
const shareCharacters = 72
