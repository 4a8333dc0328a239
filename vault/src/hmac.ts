import { createHmac, hash, type KeyObject } from 'node:crypto'

import { allocateOffHeap } from '@tessera/contract/off-heap'

/**
 * HMAC-SHA256 (RFC 2104, FIPS 198-1), 32 bytes. Under a prepared key it is made of two one-shot hashes: 0.9 µs instead of 1.9, and some 5 µs less in a
 * service, where the collector has to finish each Hmac object of Node.
 */
export function hmacSha256(key: KeyObject, message: Uint8Array): Uint8Array {
  const pads = prepared.get(key)
  if (pads === undefined) return createHmac('sha256', key).update(message).digest()
  writeInnerDigest(pads, message)
  return sha256(pads.outer)
}

/**
 * The same of a message that `write` encodes: right behind the inner block, so that nothing is copied (0.5 µs less). It gets the buffer and where the message
 * begins, with room for `room` bytes, and returns where it ends.
 */
export function hmacSha256Of(key: KeyObject, room: number, write: (bytes: Buffer, from: number) => number): Uint8Array {
  const pads = prepared.get(key)
  const length = blockBytes + room
  const input = length > scratch.length ? Buffer.from(new ArrayBuffer(length)) : scratch
  try {
    const end = write(input, blockBytes)
    if (pads === undefined) return createHmac('sha256', key).update(input.subarray(blockBytes, end)).digest()
    input.set(pads.inner)
    writeDigest(pads.outer, blockBytes, hash('sha256', input.subarray(0, end), 'binary'))
    return sha256(pads.outer)
  } finally {
    input.fill(0, 0, length)
  }
}

/**
 * Prepares a key for many HMACs: its two padded blocks are stored outside the collector's heap until `wipeHmacKey`. For data keys, which are in memory as
 * long as the service runs; never for the key that wraps them.
 */
export function prepareHmacKey(key: KeyObject): void {
  if (prepared.has(key)) return
  const raw = key.export()
  const pads = allocatePads()
  writePads(pads, raw)
  prepared.set(key, pads)
  raw.fill(0)
}

/** Wipes what `prepareHmacKey` stored. An HMAC that somebody still makes under the key is right, and slower. */
export function wipeHmacKey(key: KeyObject): void {
  const pads = prepared.get(key)
  prepared.delete(key)
  if (pads !== undefined) wipePads(pads)
}

/** HMAC-SHA256 under a key that is used once, as bytes. The caller wipes the key, and the result, which may be a key itself. */
export function hmacSha256Once(rawKey: Uint8Array, message: Uint8Array): Uint8Array {
  writePads(oncePads, rawKey)
  try {
    writeInnerDigest(oncePads, message)
    return hash('sha256', oncePads.outer, 'buffer')
  } finally {
    wipePads(oncePads)
  }
}

/** HMAC-SHA256 that is a key itself: never a text, which cannot be wiped. The caller wipes it. */
export function hmacSha256Key(key: KeyObject, message: Uint8Array): Uint8Array {
  const pads = prepared.get(key)
  if (pads === undefined) return createHmac('sha256', key).update(message).digest()
  writeInnerDigest(pads, message)
  return hash('sha256', pads.outer, 'buffer')
}

/** SHA-256, 32 bytes. By way of a text, because Node makes one in half the time that a buffer takes. */
export function sha256(input: Uint8Array | string): Uint8Array {
  return writeDigest(new Uint8Array(digestBytes), 0, hash('sha256', input, 'binary'))
}

interface HmacPads {
  /** The key XOR 0x36, to the block size of SHA-256. */
  readonly inner: Uint8Array
  /** The key XOR 0x5c, and room for the inner digest behind it. */
  readonly outer: Uint8Array
}

function allocatePads(): HmacPads {
  return { inner: allocateOffHeap(blockBytes), outer: allocateOffHeap(blockBytes + digestBytes) }
}

function writePads({ inner, outer }: HmacPads, rawKey: Uint8Array): void {
  if (rawKey.length > blockBytes) throw new RangeError('a key of this HMAC has at most 64 bytes')
  for (let i = 0; i < blockBytes; i++) {
    const byte = rawKey[i] ?? 0
    inner[i] = byte ^ innerByte
    outer[i] = byte ^ outerByte
  }
}

function wipePads({ inner, outer }: HmacPads): void {
  inner.fill(0)
  outer.fill(0)
}

/** The inner digest reveals nothing of the key, so it may be a text, which cannot be wiped. */
function writeInnerDigest({ inner, outer }: HmacPads, message: Uint8Array): void {
  const length = blockBytes + message.length
  const input = length > scratch.length ? allocateOffHeap(length) : scratch.subarray(0, length)
  input.set(inner)
  input.set(message, blockBytes)
  try {
    writeDigest(outer, blockBytes, hash('sha256', input, 'binary'))
  } finally {
    input.fill(0)
  }
}

function writeDigest(bytes: Uint8Array, from: number, digest: string): Uint8Array {
  for (let i = 0; i < digestBytes; i++) bytes[from + i] = digest.charCodeAt(i)
  return bytes
}

const prepared = new WeakMap<KeyObject, HmacPads>()
const blockBytes = 64
const digestBytes = 32
const innerByte = 0x36
const outerByte = 0x5c
/** For the blocks of a key that is used once, and for inputs that fit: zeroed between uses. */
const oncePads = allocatePads()
const scratch = Buffer.from(new ArrayBuffer(4096))
