import { hasValidCheckDigit } from './check-digit.ts'
import { allocateOffHeap } from './off-heap.ts'
import { cardRoutes, type CardRoute } from './route.ts'

/**
 * Finds card numbers where none belongs (docs/reference/wire.md#card-numbers-in-requests): a run of digits with a valid check digit whose prefix and
 * length are those of a card network, and which is not part of a longer run. Full-width digits count as digits. The run may be written in groups of at
 * least four digits with one blank, no-break space, hyphen or dot between them (dates and phone numbers are grouped in fewer).
 *
 * The one detector of the request reader, the log filter, the form, the dashboard and the command line.
 */
export interface CardNumberDetector {
  /** Whether the UTF-8 text `[from, to)` is or holds a card number. */
  inBytes(bytes: Uint8Array, from: number, to: number, prefixDigitsMin?: number): boolean
  /** Whether the JSON number `[from, to)` is or holds a card number, also as `8.600…e15`. */
  inNumber(bytes: Uint8Array, from: number, to: number, prefixDigitsMin?: number): boolean
  /** Whether a text is or holds a card number. */
  inText(text: string): boolean
  /** The ranges of a text that are card numbers. */
  rangesIn(text: string): TextRange[]
}

/** UTF-16 code units `[from, to)` of a text. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

/**
 * The exact shape of what this service issues: an id, a token or session, the cursor of a dashboard list. Ids issued by earlier versions can hold a card
 * number by chance, so a text of this shape is not checked where an id belongs. An id of decimal digits alone holds none: its run is too long.
 */
export const ownIdShape = /^(?:[0-9a-f]{24}(?:_[0-9A-Za-z]{43})?|[0-9]{1,13}\.[0-9a-f]{24,64})$/
/** The shape of the id of a data key. */
export const keyIdShape = /^[0-9a-f]{32}$/

/** Whether a value, or any text or number inside it, is or holds a card number; a text with the shape of our ids is skipped. */
export function holdsCardNumber(value: unknown): boolean {
  if (typeof value === 'string') return !ownIdShape.test(value) && cardNumberDetector.inText(value)
  if (typeof value === 'number') return cardNumberDetector.inText(String(value))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, member]) => holdsCardNumber(name) || holdsCardNumber(member))
}

/** A text with fewer digits holds no card number. */
export const cardNumberDigitsMin = 15

/** In account fields of kind `reference` only prefixes of at least this many digits count as those of a card number. */
export const referencePrefixDigits = 4

/** Prepares a detector that also knows the card numbers that network adapters route, by prefixes of at least four digits. */
export function makeCardNumberDetector(routes: readonly CardRoute[] = []): CardNumberDetector {
  const added = routes.map(({ prefix }) => prefix).filter((prefix) => prefix.length >= referencePrefixDigits)
  const tables = [
    ...prefixTables(16, [...cardRoutes.map(({ prefix }) => prefix), ...added]),
    ...prefixTables(cardNumberDigitsMin, americanExpress),
  ]
  const isCardNumber = (digits: Uint8Array, prefixDigitsMin: number): boolean =>
    tables.some(
      ({ length, prefixDigits, prefixes }) =>
        length === digits.length && prefixDigits >= prefixDigitsMin && prefixes.has(leadingNumber(digits, prefixDigits)),
    ) && hasValidCheckDigit(digits)

  return Object.freeze({
    inBytes: (bytes, from, to, prefixDigitsMin = 1) =>
      withSymbols(to - from, (symbols) => firstMatch(symbols, writeUtf8(symbols, bytes, from, to), prefixDigitsMin, isCardNumber)),
    inNumber: (bytes, from, to, prefixDigitsMin = 1) =>
      withSymbols(to - from, (symbols) => firstMatch(symbols, writeNumber(symbols, bytes, from, to), prefixDigitsMin, isCardNumber)) ||
      isCardNumberByValue(bytes, from, to, prefixDigitsMin, isCardNumber),
    inText: (text) => withSymbols(text.length, (symbols) => firstMatch(symbols, writeText(symbols, text), 1, isCardNumber)),
    rangesIn: (text) => withSymbols(text.length, (symbols) => allMatches(symbols, writeText(symbols, text), isCardNumber)),
  } satisfies CardNumberDetector)
}

type IsCardNumber = (digits: Uint8Array, prefixDigitsMin: number) => boolean

interface PrefixTable {
  /** Of the card number. */
  readonly length: number
  readonly prefixDigits: number
  readonly prefixes: ReadonlySet<number>
}

function prefixTables(length: number, prefixes: readonly string[]): PrefixTable[] {
  return [...new Set(prefixes.map((prefix) => prefix.length))].map((prefixDigits) => ({
    length,
    prefixDigits,
    prefixes: new Set(prefixes.filter((prefix) => prefix.length === prefixDigits).map(Number)),
  }))
}

function firstMatch(symbols: Uint8Array, length: number, prefixDigitsMin: number, isCardNumber: IsCardNumber): boolean {
  for (let at = nextDigit(symbols, 0, length); at < length; at = nextDigit(symbols, endOfRun(symbols, at, length), length)) {
    if (endOfMatch(symbols, at, length, prefixDigitsMin, isCardNumber) !== null) return true
  }
  return false
}

function allMatches(symbols: Uint8Array, length: number, isCardNumber: IsCardNumber): TextRange[] {
  const ranges: TextRange[] = []
  let at = nextDigit(symbols, 0, length)
  while (at < length) {
    const end = endOfMatch(symbols, at, length, 1, isCardNumber)
    if (end !== null) ranges.push({ from: at, to: end })
    at = nextDigit(symbols, end ?? endOfRun(symbols, at, length), length)
  }
  return ranges
}

/** Where the card number that begins with the run at `at` ends; null when none does. It is one run, or several whole ones with single separators. */
function endOfMatch(symbols: Uint8Array, at: number, length: number, prefixDigitsMin: number, isCardNumber: IsCardNumber): number | null {
  let count = 0
  let start = at
  let matchEnd: number | null = null
  while (matchEnd === null) {
    const end = endOfRun(symbols, start, length)
    const digits = end - start
    if (digits < groupDigitsMin || count + digits > gathered.length) break
    gathered.set(symbols.subarray(start, end), count)
    count += digits
    if (count >= cardNumberDigitsMin && isCardNumber(gathered.subarray(0, count), prefixDigitsMin)) matchEnd = end
    if (symbols[end] !== SEPARATOR || end + 1 >= length || !isDigit(symbols[end + 1])) break
    start = end + 1
  }
  gathered.fill(0)
  return matchEnd
}

/** A number written with an exponent: the 15 or 16 digits of its whole part, if it has so many. */
function isCardNumberByValue(bytes: Uint8Array, from: number, to: number, prefixDigitsMin: number, isCardNumber: IsCardNumber): boolean {
  let at = bytes[from] === MINUS ? from + 1 : from
  let wholeDigits = 0
  let count = 0
  let isAfterPoint = false
  gathered.fill(ZERO)
  for (; at < to && (isDigit(bytes[at]) || bytes[at] === POINT); at++) {
    const byte = bytes[at] ?? 0
    if (byte === POINT) {
      isAfterPoint = true
      continue
    }
    const isLeadingZero = count === 0 && byte === ZERO
    if (!isAfterPoint && !isLeadingZero) wholeDigits++
    if (isAfterPoint && isLeadingZero) wholeDigits--
    if (isLeadingZero) continue
    if (count < gathered.length) gathered[count] = byte
    count++
  }
  const length = at < to ? wholeDigits + readExponent(bytes, at, to) : 0
  const isMatch = length >= cardNumberDigitsMin && length <= gathered.length && isCardNumber(gathered.subarray(0, length), prefixDigitsMin)
  gathered.fill(0)
  return isMatch
}

/** `at` is the position of the `e`. */
function readExponent(bytes: Uint8Array, at: number, to: number): number {
  let exponent = 0
  for (let i = at + 1; i < to && exponent < exponentMax; i++) if (isDigit(bytes[i])) exponent = exponent * 10 + (bytes[i] ?? 0) - ZERO
  return bytes[at + 1] === MINUS ? -exponent : exponent
}

function nextDigit(symbols: Uint8Array, at: number, length: number): number {
  while (at < length && !isDigit(symbols[at])) at++
  return at
}

function endOfRun(symbols: Uint8Array, at: number, length: number): number {
  while (at < length && isDigit(symbols[at])) at++
  return at
}

function leadingNumber(digits: Uint8Array, length: number): number {
  let value = 0
  for (let i = 0; i < length; i++) value = value * 10 + (digits[i] ?? 0) - ZERO
  return value
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}

/**
 * Passes a scratch buffer of `length` bytes to `use`, for a text written as one symbol per character: an ASCII digit, a separator, or anything else.
 * Wiped afterwards, since it may contain a card number.
 */
function withSymbols<T>(length: number, use: (symbols: Uint8Array) => T): T {
  if (scratch.length < length) scratch = allocateOffHeap(Math.max(length, 2 * scratch.length))
  try {
    return use(scratch)
  } finally {
    scratch.fill(0, 0, length)
  }
}

/** One symbol per UTF-16 code unit, so that positions in the text and in the symbols are the same. */
function writeText(symbols: Uint8Array, text: string): number {
  for (let i = 0; i < text.length; i++) symbols[i] = symbolOf(text.charCodeAt(i))
  return text.length
}

/** One symbol per character of valid UTF-8; returns the number of symbols. */
function writeUtf8(symbols: Uint8Array, bytes: Uint8Array, from: number, to: number): number {
  let length = 0
  for (let at = from; at < to; length++) {
    const lead = bytes[at] ?? 0
    if (lead < 0x80) {
      symbols[length] = symbolOf(lead)
      at++
    } else {
      const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3
      let point = lead & (0x3f >> more)
      for (let i = 1; i <= more; i++) point = (point << 6) | ((bytes[at + i] ?? 0) & 0x3f)
      symbols[length] = symbolOf(point)
      at += more + 1
    }
  }
  return length
}

/** A JSON number is never written in groups: its point and signs separate nothing. */
function writeNumber(symbols: Uint8Array, bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) symbols[at - from] = isDigit(bytes[at]) ? (bytes[at] ?? 0) : OTHER
  return to - from
}

function symbolOf(point: number): number {
  if (point < 0x80) {
    if (point >= ZERO && point <= NINE) return point
    return point === BLANK || point === MINUS || point === POINT ? SEPARATOR : OTHER
  }
  if (point >= FULL_WIDTH_ZERO && point <= FULL_WIDTH_ZERO + 9) return point - FULL_WIDTH_ZERO + ZERO
  return otherSeparators.has(point) ? SEPARATOR : OTHER
}

/** 15 digits (ISO/IEC 7812); detected, and not routed by cards.create. */
const americanExpress = ['34', '37']
const groupDigitsMin = 4
/** Beyond this an exponent cannot lead back to 16 digits: a body has 64 KiB. */
const exponentMax = 1_000_000

const ZERO = 0x30
const NINE = 0x39
const BLANK = 0x20
const MINUS = 0x2d
const POINT = 0x2e
const FULL_WIDTH_ZERO = 0xff10
const SEPARATOR = MINUS
const OTHER = 0

// prettier-ignore
const otherSeparators: ReadonlySet<number> = new Set([
  0x00a0, 0x00ad,                                                                                 // no-break space, soft hyphen
  0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x200b, // typographic spaces
  0x2010, 0x2011, 0x2012, 0x2013, 0x2212,                                                         // hyphens, dashes, minus
  0x202f, 0x205f, 0x3000, 0xff0d, 0xff0e,                                                         // narrow and wide spaces, full-width hyphen and dot
])

/** Outside the collector's heap, which would leave copies behind as it moves things; wiped after each use. */
const gathered = allocateOffHeap(16)
let scratch = allocateOffHeap(1024)

/** The detector without the prefixes of network adapters. */
export const cardNumberDetector: CardNumberDetector = /* @__PURE__ */ makeCardNumberDetector()
