import { cardNumberDetector } from '@tessera/contract/card-number-detector'

import { isInsideId } from '../logging/scrub.ts'

/** A card number in a stream of bytes. */
export interface FoundCardNumber {
  /** Of the byte that holds its first digit; in big-endian UTF-16 the second of its two. */
  readonly offset: number
  /** Six digits, asterisks, four digits. */
  readonly masked: string
}

/** Finds card numbers in bytes that come in pieces, also where a number is cut by the end of one. */
export interface CardNumberFinder {
  push(bytes: Uint8Array): FoundCardNumber[]
  /** What is left when the last piece was pushed. */
  end(): FoundCardNumber[]
}

/**
 * The bytes are any: text as ASCII, UTF-8 or UTF-16 in either order, between bytes that are no text. What has the exact shape of an id of ours is left
 * out, as in the log.
 */
export function makeCardNumberFinder(): CardNumberFinder {
  let window: Uint8Array = new Uint8Array(0)
  /** Of the first byte of the window. */
  let offset = 0
  /** Up to here in the window numbers have been reported. */
  let done = 0

  return Object.freeze({
    push(bytes: Uint8Array) {
      window = Buffer.concat([window, bytes])
      // A number that begins in the last bytes may go on in the next piece.
      return report(Math.max(done, window.length - contextBytes))
    },
    end: () => report(window.length),
  })

  function report(until: number): FoundCardNumber[] {
    const found = findIn(window).filter(({ at }) => at >= done && at < until)
    const numbers = found.map(({ at, masked }) => ({ offset: offset + at, masked }))
    const dropped = Math.max(0, until - contextBytes)
    window = window.slice(dropped)
    offset += dropped
    done = until - dropped
    return numbers
  }
}

interface Match {
  readonly at: number
  readonly masked: string
}

function findIn(bytes: Uint8Array): Match[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const plain = buffer.toString('latin1')
  const matches = new Map<number, Match>()
  const add = (text: string, toOffset: (at: number) => number): void => {
    for (const { from, to } of cardNumberDetector.rangesIn(text)) {
      const at = toOffset(from)
      if (!isInsideId(text, { from, to })) matches.set(at, { at, masked: maskNumber(text.slice(from, to)) })
    }
  }
  if (worthALook.test(plain)) add(plain, (at) => at)
  if (mayBeUtf8.test(plain)) {
    const { text, offsets } = decodeUtf8(buffer)
    add(text, (at) => offsets[at] ?? 0)
  }
  if (mayBeUtf16.test(plain)) {
    for (const first of [0, 1]) {
      const pairs = buffer.subarray(first, first + 2 * Math.floor((buffer.length - first) / 2))
      add(pairs.toString('utf16le'), (at) => first + 2 * at)
      add(Buffer.from(pairs).swap16().toString('utf16le'), (at) => first + 2 * at + 1)
    }
  }
  return [...matches.values()].sort((a, b) => a.at - b.at)
}

/** Never throws: what is no UTF-8 is one character for each byte. */
function decodeUtf8(bytes: Uint8Array): { readonly text: string; readonly offsets: Uint32Array } {
  const offsets = new Uint32Array(bytes.length)
  const units = new Uint16Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; length++) {
    const [first = 0, second = 0, third = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]]
    offsets[length] = at
    if (first >= 0xc2 && first < 0xe0 && isContinuation(second)) {
      units[length] = ((first & 0x1f) << 6) | (second & 0x3f)
      at += 2
    } else if (first >= 0xe0 && first < 0xf0 && isContinuation(second) && isContinuation(third)) {
      units[length] = ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f)
      at += 3
    } else {
      units[length] = first
      at += 1
    }
  }
  return { text: Buffer.from(units.buffer, 0, 2 * length).toString('utf16le'), offsets }
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0
}

function maskNumber(text: string): string {
  const digits = Array.from(text, (unit) => digitOf(unit.charCodeAt(0))).filter((digit) => digit !== null)
  return `${digits.slice(0, 6).join('')}${'*'.repeat(digits.length - 10)}${digits.slice(-4).join('')}`
}

function digitOf(unit: number): number | null {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  return unit >= 0xff10 && unit <= 0xff19 ? unit - 0xff10 : null
}

/** More than the longest spelling of a number, and than an id around it, in UTF-16. */
const contextBytes = 512
const worthALook = /[0-9]{15}|[0-9]{4}[ .-][0-9]{4}/
/** First bytes of the separators and of full-width digits. */
const mayBeUtf8 = /\u00c2[\u00a0\u00ad]|\u00e2[\u0080\u0081\u0088]|\u00e3\u0080|\u00ef\u00bc/
const mayBeUtf16 = /[0-9]\u0000[0-9]\u0000[0-9]\u0000|[\u0010-\u0019]\u00ff[\u0010-\u0019]\u00ff|\u00ff[\u0010-\u0019]\u00ff[\u0010-\u0019]/
