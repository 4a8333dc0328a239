import type { Pan } from '@tessera/contract/card'

/** Stands for the card number in the text of a request; no request of ours contains it otherwise. */
export const panPlaceholder = '@pan@'

/**
 * The bytes of a request whose text has the placeholder once, with the digits of the card number in its place: the number is never text. The caller wipes
 * the bytes when the call is over.
 */
export function encodeBodyWithPan(text: string, pan: Pan): Uint8Array {
  const [before, after, ...more] = text.split(panPlaceholder)
  if (before === undefined || after === undefined || more.length > 0) throw new Error('the request has no single place for the card number')
  const digits = pan.reveal()
  const [head, tail] = [Buffer.from(before), Buffer.from(after)]
  // Not `Buffer.concat`: its result may share a slab with other data, which cannot be wiped.
  const body = new Uint8Array(head.length + digits.length + tail.length)
  body.set(head)
  body.set(digits, head.length)
  body.set(tail, head.length + digits.length)
  return body
}

/**
 * Overwrites what may be a card number in the bytes of a reply (13 to 19 digits that stand alone) with nines, before the bytes become text: networks return
 * the number with every transaction, and nothing needs it. Longer and shorter numbers stay.
 */
export function wipeCardNumbers(bytes: Uint8Array): void {
  let start = 0
  for (let at = 0; at <= bytes.length; at++) {
    if (isWordByte(bytes[at])) continue
    const length = at - start
    if (length >= panDigitsMin && length <= panDigitsMax && bytes.subarray(start, at).every(isDigit)) bytes.fill(nine, start, at)
    start = at + 1
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && (isDigit(byte) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f)
}

const panDigitsMin = 13
const panDigitsMax = 19
const nine = 0x39
