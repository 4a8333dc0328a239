import { RpcError } from '@tessera/contract/errors'

/**
 * Scans a JSON text (RFC 8259) in valid UTF-8 byte by byte, without making JavaScript strings. After `string()` and `number()`, `[from, to)` are the
 * raw bytes of the token. Throws `invalidJson` or `loneSurrogate` for malformed text.
 */
export class JsonCursor {
  readonly bytes: Buffer
  at = 0
  from = 0
  to = 0
  /** Whether the last string has escapes. */
  isEscaped = false
  /** Whether the raw bytes of the last string are ASCII. */
  isAscii = true
  /** Whether the last number has neither decimal point nor exponent. */
  isInteger = true
  /** Upper bound of the decimal digits in the last string or number that have no ASCII letter between them. */
  maxDigits = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Skips whitespace and returns the next byte without consuming it; `end` at the end of the text. */
  peek(): number {
    const { bytes } = this
    for (; this.at < bytes.length; this.at++) {
      const byte = bytes[this.at] ?? end
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
    }
    return end
  }

  /** Skips whitespace and consumes this byte. */
  expect(byte: number): void {
    if (this.peek() !== byte) throw invalid()
    this.at++
  }

  /** After a member or element: consumes a comma (true) or the closing byte (false). */
  hasMore(close: number): boolean {
    const byte = this.peek()
    if (byte !== comma && byte !== close) throw invalid()
    this.at++
    return byte === comma
  }

  /** Consumes the closing byte of an empty container. False: the cursor is at the first member or element. */
  isEmpty(close: number): boolean {
    if (this.peek() !== close) return false
    this.at++
    return true
  }

  /** Consumes a string, quotes included. */
  string(): void {
    this.expect(quoteByte)
    const { bytes } = this
    let at = this.at
    let digits = 0
    let maxDigits = 0
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
      if (byte >= 0x30 && byte <= 0x39) maxDigits = Math.max(maxDigits, ++digits)
      else if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) digits = 0
      high |= byte
    }
    this.isAscii = high < 0x80
    // Escapes and full-width digits are not counted one by one.
    this.maxDigits = this.isEscaped || !this.isAscii ? at - this.from : maxDigits
    this.to = at
    this.at = at + 1
  }

  /** Consumes a number. */
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
    this.maxDigits = at - this.from
    this.to = at
    this.at = at
  }

  /** Consumes `true`, `false` or `null`. */
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

  /** Returns the position after the escape whose backslash is at `at`. A surrogate needs its pair. */
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

/** The code unit of four hex digits. */
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
