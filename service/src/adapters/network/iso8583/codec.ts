import type { IsoDialect, FieldFormat } from './dialect.ts'

/** A message: its type (MTI) and its fields by number. Field 2 is bytes, so that a card number is never text. */
export interface IsoMessage {
  readonly mti: string
  readonly fields: Readonly<Record<number, string | Uint8Array>>
}

/** The peer sent bytes that are no message of its dialect. Names the field, never its content. */
export class IsoFormatError extends Error {
  override readonly name = 'IsoFormatError'
}

/** The bytes of a message, without its frame. The caller wipes them when they hold a card number. Throws `IsoFormatError`. */
export function encodeMessage({ mti, fields }: IsoMessage, dialect: IsoDialect): Uint8Array {
  const numbers = Object.keys(fields)
    .map(Number)
    .sort((a, b) => a - b)
  const parts = numbers.map((number) => encodeField(number, fields[number] ?? '', formatOf(number, dialect)))
  const bits = new Uint8Array((numbers.at(-1) ?? 0) > 64 ? 16 : 8)
  if (bits.length === 16) bits[0] = 0x80
  for (const number of numbers) addBits(bits, (number - 1) >> 3, 0x80 >> ((number - 1) & 7))
  const bitmap = dialect.bitmap === 'binary' ? bits : Buffer.from(Buffer.from(bits).toString('hex').toUpperCase(), 'latin1')
  const message = join([Buffer.from(mti, 'latin1'), bitmap, ...parts])
  for (const part of parts) part.fill(0)
  return message
}

/** Throws `IsoFormatError` for a cut message, an unknown field, a wrong character, or bytes after the last field. */
export function decodeMessage(bytes: Uint8Array, dialect: IsoDialect): IsoMessage {
  const reader = makeReader(bytes)
  const mti = toText(reader.take(4, 'MTI'))
  if (!/^[0-9]{4}$/.test(mti)) throw new IsoFormatError('the MTI is not four digits')
  const first = takeBits()
  const bits = (first[0] ?? 0) & 0x80 ? join([first, takeBits()]) : first
  const fields: Record<number, string | Uint8Array> = {}
  for (let number = 2; number <= bits.length * 8; number++) {
    if (((bits[(number - 1) >> 3] ?? 0) & (0x80 >> ((number - 1) & 7))) === 0) continue
    fields[number] = decodeField(number, formatOf(number, dialect), reader)
  }
  if (reader.left() > 0) throw new IsoFormatError('there are bytes after the last field')
  return { mti, fields }

  function takeBits(): Uint8Array {
    if (dialect.bitmap === 'binary') return reader.take(8, 'bitmap')
    const text = toText(reader.take(16, 'bitmap'))
    if (!/^[0-9A-Fa-f]{16}$/.test(text)) throw new IsoFormatError('the bitmap is not hexadecimal')
    return Buffer.from(text, 'hex')
  }
}

function formatOf(number: number, { fields }: IsoDialect): FieldFormat {
  const format = fields[String(number)]
  if (format === undefined) throw new IsoFormatError(`field ${String(number)} is not in the field table`)
  return format
}

function encodeField(number: number, value: string | Uint8Array, { type, length, lengthDigits, encoding }: FieldFormat): Uint8Array {
  const given = typeof value === 'string' ? Buffer.from(value, 'latin1') : value
  if (given.length > length || !given.every(charactersOf[type])) throw new IsoFormatError(`field ${String(number)} does not fit its format`)
  const size = lengthDigits === 0 ? length : given.length
  const characters = new Uint8Array(size).fill(type === 'n' ? 0x30 : 0x20)
  characters.set(given, type === 'n' ? size - given.length : 0)
  const body = encoding === 'ascii' ? characters : packDigits(characters)
  if (lengthDigits === 0) return body
  const prefix = Buffer.from(String(size).padStart(lengthDigits, '0'), 'latin1')
  const encoded = join([encoding === 'ascii' ? prefix : packDigits(prefix), body])
  body.fill(0)
  return encoded
}

function decodeField(number: number, { type, length, lengthDigits, encoding }: FieldFormat, reader: Reader): string | Uint8Array {
  const name = `field ${String(number)}`
  const takeDigits = (count: number): Uint8Array =>
    encoding === 'ascii' ? reader.take(count, name) : unpackDigits(reader.take((count + 1) >> 1, name), count, name)
  let size = length
  if (lengthDigits > 0) {
    const prefix = toText(takeDigits(lengthDigits))
    if (!/^[0-9]+$/.test(prefix) || Number(prefix) > length) throw new IsoFormatError(`${name} is longer than its format`)
    size = Number(prefix)
  }
  const characters = takeDigits(size)
  if (!characters.every(charactersOf[type])) throw new IsoFormatError(`${name} has a character that its format does not allow`)
  if (number === 2) return characters
  const text = toText(characters)
  return type === 'n' || lengthDigits > 0 ? text : text.trimEnd()
}

interface Reader {
  take(count: number, name: string): Uint8Array
  left(): number
}

function makeReader(bytes: Uint8Array): Reader {
  let at = 0
  return {
    left: () => bytes.length - at,
    take(count, name) {
      if (at + count > bytes.length) throw new IsoFormatError(`the message ends within ${name}`)
      at += count
      return bytes.slice(at - count, at)
    },
  }
}

function addBits(bytes: Uint8Array, at: number, bits: number): void {
  bytes[at] = (bytes[at] ?? 0) | bits
}

/** Two digits a byte; an odd number of digits gets a zero in front. */
function packDigits(digits: Uint8Array): Uint8Array {
  const odd = digits.length & 1
  const packed = new Uint8Array((digits.length + 1) >> 1)
  digits.forEach((digit, i) => addBits(packed, (i + odd) >> 1, (digit - 0x30) << (((i + odd) & 1) === 0 ? 4 : 0)))
  return packed
}

function unpackDigits(packed: Uint8Array, count: number, name: string): Uint8Array {
  const all = new Uint8Array(packed.length * 2)
  packed.forEach((byte, i) => all.set([byte >> 4, byte & 15], i * 2))
  if (all.some((nibble) => nibble > 9)) throw new IsoFormatError(`${name} is not packed digits`)
  return all.map((nibble) => nibble + 0x30).slice(all.length - count)
}

/** Not `Buffer.concat`: its result may share a slab with other data, which cannot be wiped. */
function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39
const isPrintable = (byte: number): boolean => byte >= 0x20 && byte <= 0x7e
const charactersOf = Object.freeze({
  n: isDigit,
  an: (byte: number) => isPrintable(byte) && /[0-9A-Za-z ]/.test(String.fromCharCode(byte)),
  ans: isPrintable,
})
