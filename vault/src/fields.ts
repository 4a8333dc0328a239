import type { KeyObject } from 'node:crypto'

import { hmacSha256Of } from './hmac.ts'

/** A value that can be authenticated. */
export type MacField = string | number | boolean | Uint8Array | null

/**
 * The one encoding of everything that is authenticated: a label for the purpose, then the fields, each as tag(1) length(4) bytes.
 * Two lists that differ anywhere, even only in where a field ends or in `1`, `"1"` and `true`, encode differently.
 */
export function encodeFields(label: string, fields: readonly MacField[]): Uint8Array {
  const room = roomOfAll(label, fields)
  const bytes = Buffer.allocUnsafeSlow(Math.max(room, offHeapBytesMin))
  return bytes.subarray(0, writeAll(bytes, 0, label, fields))
}

/** HMAC-SHA256 (RFC 2104, FIPS 198-1) of the encoded fields: 32 bytes. The encoding is wiped. */
export function keyedHash(key: KeyObject, label: string, fields: readonly MacField[]): Uint8Array {
  return hmacSha256Of(key, roomOfAll(label, fields), (bytes, from) => writeAll(bytes, from, label, fields))
}

/** Encodes fields for the duration of `use`, then wipes them. `use` must neither encode anything itself nor keep a reference. */
export function withEncoded<T>(label: string, fields: readonly MacField[], use: (encoded: Uint8Array) => T): T {
  const room = roomOfAll(label, fields)
  const bytes = room > scratch.length ? Buffer.allocUnsafeSlow(room) : scratch
  const encoded = bytes.subarray(0, room)
  try {
    return use(encoded.subarray(0, writeAll(encoded, 0, label, fields)))
  } finally {
    encoded.fill(0)
  }
}

function roomOfAll(label: string, fields: readonly MacField[]): number {
  let room = roomOf(label)
  for (const field of fields) room += roomOf(field)
  return room
}

function writeAll(bytes: Buffer, from: number, label: string, fields: readonly MacField[]): number {
  let at = writeField(bytes, from, label)
  for (const field of fields) at = writeField(bytes, at, field)
  return at
}

/** The most bytes that the field can take: three for each UTF-16 unit of a string. */
function roomOf(field: MacField): number {
  if (typeof field === 'string') return headBytes + field.length * 3
  return headBytes + (field instanceof Uint8Array ? field.length : numberBytes)
}

function writeField(bytes: Buffer, at: number, field: MacField): number {
  const from = at + headBytes
  if (typeof field === 'string') return writeHead(bytes, at, tags.string, writeText(bytes, from, field))
  if (typeof field === 'number') return writeHead(bytes, at, tags.number, bytes.writeDoubleBE(finite(field), from) - from)
  if (typeof field === 'boolean') return writeHead(bytes, at, tags.boolean, bytes.writeUInt8(field ? 1 : 0, from) - from)
  if (field === null) return writeHead(bytes, at, tags.null, 0)
  bytes.set(field, from)
  return writeHead(bytes, at, tags.bytes, field.length)
}

/** Most texts are short and ASCII. They are written here, byte by byte, because a call into Node would cost five times as much. */
function writeText(bytes: Buffer, from: number, text: string): number {
  if (text.length > shortTextMax) return bytes.write(wellFormed(text), from)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > asciiMax) return bytes.write(wellFormed(text), from)
    bytes[from + i] = unit
  }
  return text.length
}

/** Returns the offset of the next field. */
function writeHead(bytes: Buffer, at: number, tag: number, length: number): number {
  bytes[at] = tag
  bytes[at + 1] = length >>> 24
  bytes[at + 2] = length >>> 16
  bytes[at + 3] = length >>> 8
  bytes[at + 4] = length
  return at + headBytes + length
}

/** A lone surrogate would be written as U+FFFD, so that two texts would have the same encoding. */
function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new RangeError('only well-formed text can be authenticated')
  return text
}

/** -0 becomes 0: no store distinguishes them. */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('only finite numbers can be authenticated')
  return value + 0
}

const tags = { null: 0, boolean: 1, number: 2, string: 3, bytes: 4 } as const
const headBytes = 1 + 4
const numberBytes = 8
/** A smaller buffer would be allocated in the collector's heap (V8's 64 bytes), where wiping leaves copies. */
const offHeapBytesMin = 65
const shortTextMax = 64
const asciiMax = 0x7f
/** The buffer for encodings that fit: zeroed between uses, outside the collector's heap. */
const scratch = Buffer.allocUnsafeSlow(2048).fill(0)
