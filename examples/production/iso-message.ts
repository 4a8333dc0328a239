// The few fields of ISO 8583:1987 in ASCII that the card network of the example uses. Written apart from the adapter of the service, so that both
// would have to be wrong in the same way.

/** A message: its type (MTI) and its fields by number. */
export interface HostMessage {
  readonly mti: string
  readonly fields: Readonly<Record<number, string>>
}

/** Length of a field: always so many characters, or as many as the digits before it say. */
const lengths: Readonly<Record<number, number | 'LL' | 'LLL'>> = {
  2: 'LL',
  3: 6,
  4: 12,
  7: 10,
  11: 6,
  12: 6,
  13: 4,
  14: 4,
  18: 4,
  22: 3,
  25: 2,
  32: 'LL',
  37: 12,
  38: 6,
  39: 2,
  41: 8,
  42: 15,
  48: 'LLL',
  49: 3,
  70: 3,
  90: 42,
}

/** Splits what has arrived into whole messages, and returns the rest. */
export function takeMessages(received: Buffer): { readonly messages: readonly HostMessage[]; readonly rest: Buffer } {
  const messages: HostMessage[] = []
  let rest = received
  while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE()) {
    const size = rest.readUInt16BE()
    messages.push(parse(rest.subarray(2, 2 + size)))
    rest = rest.subarray(2 + size)
  }
  return { messages, rest }
}

export function formatHostMessage({ mti, fields }: HostMessage): Buffer {
  const numbers = Object.keys(fields).map(Number)
  const isLong = numbers.some((number) => number > 64)
  const bitmap = Buffer.alloc(isLong ? 16 : 8)
  for (const number of isLong ? [1, ...numbers] : numbers)
    bitmap.writeUInt8(bitmap.readUInt8((number - 1) >> 3) | (0x80 >> ((number - 1) & 7)), (number - 1) >> 3)
  const values = numbers.map((number) => formatField(number, fields[number] ?? ''))
  const body = Buffer.concat([Buffer.from(mti), bitmap, Buffer.from(values.join(''))])
  const size = Buffer.alloc(2)
  size.writeUInt16BE(body.length)
  return Buffer.concat([size, body])
}

function formatField(number: number, value: string): string {
  const length = lengths[number] ?? fail(number)
  return typeof length === 'number' ? value.padEnd(length) : `${String(value.length).padStart(length.length, '0')}${value}`
}

function parse(bytes: Buffer): HostMessage {
  const isLong = (bytes.readUInt8(4) & 0x80) !== 0
  const bitmap = bytes.subarray(4, isLong ? 20 : 12)
  let at = 4 + bitmap.length
  const take = (length: number): string => bytes.toString('latin1', at, (at += length))
  const fields: Record<number, string> = {}
  for (let number = 2; number <= bitmap.length * 8; number++) {
    if ((bitmap.readUInt8((number - 1) >> 3) & (0x80 >> ((number - 1) & 7))) === 0) continue
    const length = lengths[number] ?? fail(number)
    fields[number] = take(typeof length === 'number' ? length : Number(take(length.length)))
  }
  return { mti: bytes.toString('latin1', 0, 4), fields }
}

function fail(number: number): never {
  throw new Error(`the example's host does not know field ${String(number)}`)
}
