import { createHmac, type KeyObject } from 'node:crypto'

/** What may be authenticated. Each type has a tag of its own, so `1`, `"1"`, `true` and null never look alike. */
export type MacField = string | number | boolean | Uint8Array | null

/**
 * One encoding for everything that is authenticated: a label that says what for, then each field as tag(1) length(4) bytes.
 * No two lists of fields encode alike, and neither is the beginning of another's field.
 */
export function encodeFields(label: string, fields: readonly MacField[]): Uint8Array {
  let length = headBytes + byteLengthOf(label)
  for (const field of fields) length += headBytes + byteLengthOf(field)
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = writeField(bytes, 0, label)
  for (const field of fields) at = writeField(bytes, at, field)
  return bytes
}

/** HMAC-SHA256 (RFC 2104, FIPS 198-1) over the encoded fields, 32 bytes. What was encoded is wiped. */
export function keyedHash(key: KeyObject, label: string, fields: readonly MacField[]): Uint8Array {
  const encoded = encodeFields(label, fields)
  const hash = createHmac('sha256', key).update(encoded).digest()
  encoded.fill(0)
  return hash
}

function byteLengthOf(field: MacField): number {
  if (field === null) return 0
  if (typeof field === 'boolean') return 1
  if (typeof field === 'number') return 8
  return typeof field === 'string' ? Buffer.byteLength(field) : field.length
}

function writeField(bytes: Buffer, at: number, field: MacField): number {
  const from = at + headBytes
  const length = byteLengthOf(field)
  bytes[at] = tagOf(field)
  bytes.writeUInt32BE(length, at + 1)
  if (typeof field === 'boolean') bytes[from] = field ? 1 : 0
  else if (typeof field === 'number') bytes.writeDoubleBE(finite(field), from)
  else if (typeof field === 'string') bytes.write(wellFormed(field), from)
  else if (field !== null) bytes.set(field, from)
  return from + length
}

function tagOf(field: MacField): number {
  if (field === null) return tags.null
  if (typeof field === 'boolean') return tags.boolean
  if (typeof field === 'number') return tags.number
  return typeof field === 'string' ? tags.string : tags.bytes
}

/** -0 becomes 0: a store does not tell them apart. */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('only finite numbers are authenticated')
  return value + 0
}

/** A lone surrogate would be encoded as U+FFFD, like any other: two texts would share one encoding. */
function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new RangeError('only well-formed text is authenticated')
  return text
}

const tags = { null: 0, boolean: 1, number: 2, string: 3, bytes: 4 } as const
/** Tag and length. */
const headBytes = 5
