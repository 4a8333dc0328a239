import { RpcError } from '@tessera/contract/errors'

/**
 * Scans one JSON text (RFC 8259) in valid UTF-8, byte by byte, without making a JavaScript string of it. `string()` and `number()` leave the
 * raw bytes of what they passed as `[from, to)`. Throws `invalidJson` or `loneSurrogate` where the text breaks.
 */
export class JsonCursor {
  readonly bytes: Buffer
  at = 0
  from = 0
  to = 0
  /** The last string has escapes. */
  isEscaped = false
  /** The last string is ASCII as it stands. */
  isAscii = true
  /** The last number has neither point nor exponent. */
  isInteger = true
  /** The last string or number holds at most this many decimal digits. */
  digitsMax = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Passes blanks and gives the byte after them; `end` where the text is over. */
  peek(): number {
    const { bytes } = this
    for (; this.at < bytes.length; this.at++) {
      const byte = bytes[this.at] ?? end
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
    }
    return end
  }

  /** Passes blanks and one byte, which has to be this one. */
  expect(byte: number): void {
    if (this.peek() !== byte) throw invalid()
    this.at++
  }

  /** Passes blanks and, after a member or element, a comma (true) or the closing byte (false). */
  hasMore(close: number): boolean {
    const byte = this.peek()
    if (byte !== comma && byte !== close) throw invalid()
    this.at++
    return byte === comma
  }

  /** Passes an opened container that closes at once; false leaves the cursor at its first member or element. */
  isEmpty(close: number): boolean {
    if (this.peek() !== close) return false
    this.at++
    return true
  }

  /** Passes blanks and a string, quotes included. */
  string(): void {
    this.expect(quoteByte)
    const { bytes } = this
    let at = this.at
    let digits = 0
    let high = 0
    this.from = at
    this.isEscaped = false
    for (;;) {
      const byte = bytes[at] ?? 0
      if (byte === quoteByte) break
      if (byte < 0x20) throw invalid()
      if (byte === backslash) {
        this.isEscaped = true
        at = this.#escape(at)
      } else {
        at++
      }
      if (byte >= 0x30 && byte <= 0x39) digits++
      high |= byte
    }
    this.isAscii = high < 0x80
    // Escapes and full-width digits are not counted one by one.
    this.digitsMax = this.isEscaped || !this.isAscii ? at - this.from : digits
    this.to = at
    this.at = at + 1
  }

  /** Passes a number. */
  number(): void {
    const { bytes } = this
    let at = this.at
    this.from = at
    this.isInteger = true
    if (bytes[at] === minus) at++
    at = bytes[at] === zero ? at + 1 : this.#digits(at)
    if (bytes[at] === point) {
      this.isInteger = false
      at = this.#digits(at + 1)
    }
    if (((bytes[at] ?? 0) | 0x20) === 0x65) {
      this.isInteger = false
      const sign = bytes[at + 1]
      at = this.#digits(sign === minus || sign === plus ? at + 2 : at + 1)
    }
    this.digitsMax = at - this.from
    this.to = at
    this.at = at
  }

  /** Passes `true`, `false` or `null`. */
  literal(word: string): void {
    for (let i = 0; i < word.length; i++) if (this.bytes[this.at + i] !== word.charCodeAt(i)) throw invalid()
    this.at += word.length
  }

  #digits(at: number): number {
    const first = at
    while (isDigit(this.bytes[at])) at++
    if (at === first) throw invalid()
    return at
  }

  /** `at` stands on a backslash; gives the place after the escape. A surrogate has to come with its other half. */
  #escape(at: number): number {
    const letter = this.bytes[at + 1] ?? 0
    if (letter !== 0x75) {
      if (!shortEscapes.includes(letter)) throw invalid()
      return at + 2
    }
    const unit = readHex4(this.bytes, at + 2)
    if (unit < 0xd800 || unit > 0xdfff) return at + 6
    const isPair = unit < 0xdc00 && this.bytes[at + 6] === backslash && this.bytes[at + 7] === 0x75
    const low = isPair ? readHex4(this.bytes, at + 8) : 0
    if (low < 0xdc00 || low > 0xdfff) throw new RpcError('loneSurrogate')
    return at + 12
  }
}

/** The code unit that four hex digits name; throws when they are not. */
export function readHex4(bytes: Uint8Array, at: number): number {
  let unit = 0
  for (let i = at; i < at + 4; i++) {
    const byte = bytes[i] ?? 0
    const letter = byte | 0x20
    if (isDigit(byte)) unit = unit * 16 + byte - zero
    else if (letter >= 0x61 && letter <= 0x66) unit = unit * 16 + letter - 0x61 + 10
    else throw invalid()
  }
  return unit
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= zero + 9
}

function invalid(): RpcError {
  return new RpcError('invalidJson')
}

export const end = -1
export const quoteByte = 0x22
export const comma = 0x2c
export const colon = 0x3a
export const openObject = 0x7b
export const closeObject = 0x7d
export const openArray = 0x5b
export const closeArray = 0x5d
export const backslash = 0x5c
export const minus = 0x2d
const plus = 0x2b
const point = 0x2e
const zero = 0x30
/** What may follow a backslash: `" \ / b f n r t`. */
const shortEscapes = [0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]
