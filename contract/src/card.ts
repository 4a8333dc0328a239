import { hasValidCheckDigit } from './check-digit.ts'
import { copyOffHeap } from './off-heap.ts'

/** The symbol by which Node's console prints a value; declared here so that the contract does not depend on Node. */
const inspectSymbol: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/**
 * A card number (primary account number, ISO/IEC 7812) held as bytes that can be wiped.
 *
 * It prints itself masked wherever it is printed: string, JSON, template, console, error message.
 * The digits are available through `reveal()` only, which is called in the vault, in the form's frame and in network
 * adapters and nowhere else (a check enforces that). Created by `readPan` only.
 */
export class Pan {
  readonly #digits: Uint8Array
  readonly #masked: string

  private constructor(digits: Uint8Array) {
    this.#digits = digits
    this.#masked = maskDigits(digits)
  }

  /** Six digits, six asterisks, four digits. Kept as text, so that the mask outlives `wipe()`. */
  get masked(): string {
    return this.#masked
  }

  get length(): number {
    return this.#digits.length
  }

  /** Takes over `digits` (ASCII bytes, outside the collector's heap): the caller keeps no reference to them. Throws when they are not 12 to 19 digits. */
  static over(digits: Uint8Array): Pan {
    if (!isPanLength(digits.length) || !digits.every(isDigit)) throw new Error('a PAN is 12 to 19 ASCII digits')
    return new Pan(digits)
  }

  /** The digits themselves, not a copy: they are gone after `wipe()`. Throws when they have been wiped. */
  reveal(): Uint8Array {
    if (this.#digits[0] === 0) throw new Error('this PAN has been wiped')
    return this.#digits
  }

  /** Overwrites the digits. To be called as soon as the PAN is sealed or handed to the network. */
  wipe(): void {
    this.#digits.fill(0)
  }

  toString(): string {
    return this.#masked
  }

  toJSON(): string {
    return this.#masked
  }

  [Symbol.toPrimitive](): string {
    return this.#masked
  }

  get [Symbol.toStringTag](): string {
    return 'Pan'
  }

  [inspectSymbol](): string {
    return `Pan(${this.#masked})`
  }
}

/** Why a string is not a card number; each has its own reason on the wire. */
export type PanFault = 'cardNumberFormat' | 'cardNumberCheckDigit'

/**
 * Reads a card number from ASCII bytes: 12 to 19 digits and a valid check digit; blanks around it are accepted, blanks inside are not
 * (the specification: digits only, no spaces). The bytes given are copied, not wiped.
 */
export function readPan(bytes: Uint8Array): Pan | PanFault {
  const trimmed = trimBlanks(bytes)
  if (!isPanLength(trimmed.length) || !trimmed.every(isDigit)) return 'cardNumberFormat'
  if (!hasValidCheckDigit(trimmed)) return 'cardNumberCheckDigit'
  return Pan.over(copyOffHeap(trimmed))
}

/** A card's last month, `MMYY` as on the wire; the year is 20YY. */
export type Expiry = string & { readonly __brand: 'Expiry' }

export type ExpiryFault = 'expireFormat' | 'expireMonth' | 'expirePast'

/** Reads MMYY; a card is valid through the last day of its month, in UTC+5. `nowMs` is unix milliseconds. */
export function readExpiry(text: string, nowMs: number): Expiry | ExpiryFault {
  if (!/^[0-9]{4}$/.test(text)) return 'expireFormat'
  const month = Number(text.slice(0, 2))
  if (month < 1 || month > 12) return 'expireMonth'
  return expiryEndsAt(text as Expiry) > nowMs ? (text as Expiry) : 'expirePast'
}

export function isExpiryFault(read: Expiry | ExpiryFault): read is ExpiryFault {
  return read === 'expireFormat' || read === 'expireMonth' || read === 'expirePast'
}

/** When a card of this expiry expires, unix ms: the start of the next month in UTC+5. */
export function expiryEndsAt(expiry: Expiry): number {
  const month = Number(expiry.slice(0, 2))
  const year = 2000 + Number(expiry.slice(2))
  return Date.UTC(year, month, 1) - UTC_PLUS_5_MS
}

/** MMYY to YYMM, as ISO 8583 has it. */
export function toYearMonth(expiry: string): string {
  return `${expiry.slice(2)}${expiry.slice(0, 2)}`
}

/**
 * The long mask, as stored: first six digits, six asterisks, last four. The number of asterisks is fixed, so that it does not reveal the length.
 * Anything without the length of a card number becomes `***`.
 */
export function maskDigits(digits: Uint8Array): string {
  if (!isPanLength(digits.length) || !digits.every(isDigit)) return '***'
  return `${ascii(digits, 0, 6)}******${ascii(digits, digits.length - 4, digits.length)}`
}

/** `860006******6311` → `8600***6311`: the mask of the specification. Anything else becomes `***`. */
export function shortMask(longMask: string): string {
  return /^[0-9]{6}\*{6}[0-9]{4}$/.test(longMask) ? `${longMask.slice(0, 4)}***${longMask.slice(-4)}` : '***'
}

/** `998901234566` → `99890*****66`: five digits, five asterisks, two digits. Anything that is not 9 to 15 digits becomes `*****`. */
export function maskPhone(phone: string): string {
  return /^[0-9]{9,15}$/.test(phone) ? `${phone.slice(0, 5)}*****${phone.slice(-2)}` : '*****'
}

function isPanLength(length: number): boolean {
  return length >= PAN_LENGTH_MIN && length <= PAN_LENGTH_MAX
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}

function trimBlanks(bytes: Uint8Array): Uint8Array {
  let from = 0
  let to = bytes.length
  while (from < to && isBlank(bytes[from])) from++
  while (to > from && isBlank(bytes[to - 1])) to--
  return bytes.subarray(from, to)
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to))
}

const ZERO = 0x30
const NINE = 0x39
/** Lengths that ISO/IEC 7812-1 allows and that are in use. */
const PAN_LENGTH_MIN = 12
const PAN_LENGTH_MAX = 19
const UTC_PLUS_5_MS = 5 * 60 * 60 * 1000
