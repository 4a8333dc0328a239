import { crc32 } from 'node:zlib'

import type { StaticResult } from '../../operations/static-result.ts'

/** A piece of a body: text of this reply's own, or a result that all replies share. */
export type BodyPart = string | StaticResult

/** A body as it is sent: text, or pieces where some of it is shared. */
export interface ReplyBody {
  readonly text: string | null
  readonly pieces: readonly Buffer[]
  readonly contentLength: number
  /** What it takes of memory: shared bytes take none of this reply's own. */
  readonly ownBytes: number
  readonly isZipped: boolean
}

export function bodyOf(reply: BodySource, isGzipAccepted: boolean): ReplyBody {
  const { parts } = reply
  // Of shared parts the text is made only when it is asked for.
  const text = parts === undefined ? reply.text : ''
  if (parts === undefined) return { text, pieces: [], contentLength: Buffer.byteLength(text), ownBytes: text.length, isZipped: false }
  // Only a single result is worth it: the checksum of a batch of large ones takes milliseconds.
  const isZipped = parts.length === 3 && isGzipAccepted
  const pieces = isZipped ? gzipPieces(parts) : plainPieces(parts)
  const contentLength = pieces.reduce((bytes, { length }) => bytes + length, 0)
  return { text: null, pieces, contentLength, ownBytes: ownLength(parts), isZipped }
}

interface BodySource {
  readonly text: string
  readonly parts?: readonly BodyPart[]
}

/** The bytes of a body, in pieces. */
export function plainPieces(parts: readonly BodyPart[]): Buffer[] {
  return parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part.json))
}

/** Bytes of the parts that are not shared. */
export function ownLength(parts: readonly BodyPart[]): number {
  return parts.reduce((length, part) => length + (typeof part === 'string' ? part.length : 0), 0)
}

/**
 * The bytes of a body as one gzip member (RFC 1952). Text of the reply's own, such as the envelope with the caller's id, is in stored blocks around
 * compressed results, so nothing is compressed for a reply. Brotli has no blocks that can be put together so, and is not offered.
 */
export function gzipPieces(parts: readonly BodyPart[]): Buffer[] {
  const pieces: Buffer[] = [gzipHeader]
  let checksum = 0
  let length = 0
  for (const [at, bytes] of plainPieces(parts).entries()) {
    const part = parts[at]
    checksum = crc32(bytes, checksum)
    length += bytes.length
    if (typeof part === 'object') pieces.push(part.deflated)
    else for (let from = 0; from < bytes.length; from += maxBlock) pieces.push(storedBlock(bytes.subarray(from, from + maxBlock), false))
  }
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(checksum, 0)
  trailer.writeUInt32LE(length, 4)
  return [...pieces, storedBlock(Buffer.alloc(0), true), trailer]
}

/** RFC 1951 §3.2.4. */
function storedBlock(bytes: Buffer, isFinal: boolean): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(isFinal ? 1 : 0, 0)
  head.writeUInt16LE(bytes.length, 1)
  head.writeUInt16LE(~bytes.length & 0xffff, 3)
  return Buffer.concat([head, bytes])
}

/** No name, no time, unknown operating system. */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])
const maxBlock = 0xffff
