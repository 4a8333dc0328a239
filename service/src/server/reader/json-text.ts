import { maxBodyBytes } from '@tessera/contract/envelope'
import { copyOffHeap } from '@tessera/contract/off-heap'

import type { JsonCursor } from './json-cursor.ts'
import { backslash, readHex4 } from './json-cursor.ts'
import { findKnownName } from './known-names.ts'

/**
 * The text of the string that a cursor has just passed, still as bytes: escapes decoded, nothing made a JavaScript string yet. One at a time:
 * `take` the next after `drop`.
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

  /** The text, if it is one of the names that requests have: none of those is a secret, forbidden, or has to be made. */
  toKnownName(): string | null {
    return findKnownName(this.bytes, this.from, this.to)
  }

  /** The text as a JavaScript string. Only after nothing secret was found in it. */
  toText(): string {
    return this.bytes.toString(this.#isAscii ? 'latin1' : 'utf8', this.from, this.to)
  }

  /** A copy in memory of its own, outside the collector's heap (which leaves copies behind as it moves things). */
  copy(): Uint8Array {
    return copyOffHeap(this.bytes.subarray(this.from, this.to))
  }

  /** Whether it is this ASCII text, letter for letter. */
  is(ascii: string): boolean {
    if (ascii.length !== this.to - this.from) return false
    for (let i = 0; i < ascii.length; i++) if (this.bytes[this.from + i] !== ascii.charCodeAt(i)) return false
    return true
  }

  /** Wipes what was decoded; a text without escapes lies in the body, which is wiped as a whole. */
  drop(): void {
    if (this.bytes === scratch) scratch.fill(0, 0, this.to)
  }
}

/** Writes the text of `[from, to)` into the scratch and gives its length. The cursor has found every escape right. */
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
/** No text is longer decoded than as it is written. */
const scratch = Buffer.allocUnsafeSlow(maxBodyBytes)
