import { maxBodyBytes } from '@tessera/contract/envelope'
import { copyOffHeap } from '@tessera/contract/off-heap'

import type { JsonCursor } from './json-cursor.ts'
import { backslash, readHex4 } from './json-cursor.ts'
import { findKnownName } from './known-names.ts'

/**
 * The text of the string that a cursor has just consumed, as bytes with its escapes decoded; not a JavaScript string yet. One at a time: `drop` before the
 * next `take`.
 */
export class JsonText {
  bytes: Buffer = scratch
  from = 0
  to = 0
  #isAscii = true

  take(cursor: JsonCursor): void {
    if (!cursor.isEscaped) {
      this.bytes = cursor.bytes
      this.from = cursor.from
      this.to = cursor.to
      this.#isAscii = cursor.isAscii
      return
    }
    this.bytes = scratch
    this.from = 0
    this.to = decode(cursor.bytes, cursor.from, cursor.to)
    this.#isAscii = false
  }

  /** The text if it is a known name. Known names are not secret, not forbidden, and need no new string. */
  toKnownName(): string | null {
    return findKnownName(this.bytes, this.from, this.to)
  }

  /** The text as a JavaScript string. Call it only after the text was checked for card numbers. */
  toText(): string {
    return this.bytes.toString(this.#isAscii ? 'latin1' : 'utf8', this.from, this.to)
  }

  /** A copy outside the garbage-collected heap, where moving objects would leave copies behind. */
  copy(): Uint8Array {
    return copyOffHeap(this.bytes.subarray(this.from, this.to))
  }

  /** Whether it equals this ASCII text. */
  is(ascii: string): boolean {
    if (ascii.length !== this.to - this.from) return false
    for (let i = 0; i < ascii.length; i++) if (this.bytes[this.from + i] !== ascii.charCodeAt(i)) return false
    return true
  }

  /** Wipes the decoded text. A text without escapes is part of the body, which is wiped as a whole. */
  drop(): void {
    if (this.bytes === scratch) scratch.fill(0, 0, this.to)
  }
}

/** Decodes `[from, to)` into the scratch buffer and returns the length. The cursor has validated every escape. */
function decode(bytes: Uint8Array, from: number, to: number): number {
  let length = 0
  for (let at = from; at < to;) {
    const byte = bytes[at] ?? 0
    if (byte !== backslash) {
      scratch[length++] = byte
      at++
      continue
    }
    const letter = bytes[at + 1] ?? 0
    if (letter !== 0x75) {
      scratch[length++] = shortEscapes[letter] ?? letter
      at += 2
      continue
    }
    let point = readHex4(bytes, at + 2)
    at += 6
    if (point >= 0xd800 && point <= 0xdbff) {
      point = 0x10000 + ((point - 0xd800) << 10) + readHex4(bytes, at + 2) - 0xdc00
      at += 6
    }
    length = encode(point, length)
  }
  return length
}

/** UTF-8 (RFC 3629 §3). */
function encode(point: number, at: number): number {
  if (point < 0x80) {
    scratch[at] = point
    return at + 1
  }
  const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3
  scratch[at] = (leads[more] ?? 0) | (point >> (6 * more))
  for (let i = 1; i <= more; i++) scratch[at + i] = 0x80 | ((point >> (6 * (more - i))) & 0x3f)
  return at + more + 1
}

/** `\b \f \n \r \t`; the other letters stand for themselves. */
const shortEscapes: Readonly<Record<number, number>> = { 0x62: 0x08, 0x66: 0x0c, 0x6e: 0x0a, 0x72: 0x0d, 0x74: 0x09 }
const leads = [0, 0xc0, 0xe0, 0xf0]
/** Decoded text is never longer than its source. */
const scratch = Buffer.allocUnsafeSlow(maxBodyBytes)
