import { allocateOffHeap } from '@tessera/contract/off-heap'

/**
 * 32 bytes as 43 letters and digits: the big-endian number, most significant digit first. Two digits of 45 are always zero and left out. The digits are written
 * into memory that is zeroed, and become a text at once: put together as texts they took 1 µs more, and left forty pieces of a secret to the collector.
 */
export function encodeBase62(bytes: Uint8Array): string {
  for (let i = 0; i < wordCount; i++) words[i] = ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)
  for (let chunk = 0; chunk < chunkCount; chunk++) writeDigits(divide(words, zeroWords[chunk] ?? 0), (chunkCount - chunk) * chunkDigits)
  const text = digits.toString('latin1', digits.length - textDigits)
  digits.fill(0)
  return text
}

/** The 32 bytes that encode to exactly this text; null when there are none (another length or alphabet, or a number of 2^256 or above). */
export function decodeBase62(text: string): Uint8Array | null {
  const bytes = allocateOffHeap(byteCount)
  return decodeBase62Into(bytes, text) ? bytes : null
}

/** Writes these bytes to the first 32 of `bytes`. Returns false, and writes nothing, where there are none. */
export function decodeBase62Into(bytes: Uint8Array, text: string): boolean {
  if (text.length !== textDigits) return false
  // The first chunk has the two digits less that are always zero.
  for (let chunk = 0, at = chunkDigits - (chunkCount * chunkDigits - textDigits), from = 0; chunk < chunkCount; chunk++) {
    const value = numberOf(text, from, at)
    if (value < 0 || multiplyAdd(words, value, firstWords[chunk] ?? 0) > 0) {
      words.fill(0)
      return false
    }
    from = at
    at += chunkDigits
  }
  for (let i = 0; i < wordCount; i++) {
    const word = words[i] ?? 0
    bytes[2 * i] = word >> 8
    bytes[2 * i + 1] = word
    words[i] = 0
  }
  return true
}

/** Whether the character code is of a letter or a digit. */
export function isBase62(code: number): boolean {
  return (digitValues[code] ?? noDigit) !== noDigit
}

/** Divides the number by 62^5 in place and returns the remainder. Sums stay below 2^46, exact in a double. The words before `first` are zero. */
function divide(words: Uint16Array, first: number): number {
  let remainder = 0
  for (let i = first; i < wordCount; i++) {
    const value = remainder * 0x10000 + (words[i] ?? 0)
    const quotient = Math.floor(value / chunkBase)
    words[i] = quotient
    remainder = value - quotient * chunkBase
  }
  return remainder
}

/** Multiplies the number by 62^5 in place, adds, and returns the overflow. The words before `first` are zero, and remain so. */
function multiplyAdd(words: Uint16Array, add: number, first: number): number {
  let carry = add
  for (let i = wordCount - 1; i >= first; i--) {
    const value = (words[i] ?? 0) * chunkBase + carry
    carry = Math.floor(value / 0x10000)
    words[i] = value - carry * 0x10000
  }
  return carry
}

/** Writes the digits of a chunk, up to `end`. */
function writeDigits(chunk: number, end: number): void {
  let rest = chunk
  for (let i = 1; i <= chunkDigits; i++) {
    digits[end - i] = digitCodes[rest % 62] ?? 0
    rest = Math.floor(rest / 62)
  }
}

/** The number of the digits from `from` to `to`; below zero when one is none. */
function numberOf(text: string, from: number, to: number): number {
  let chunk = 0
  for (let i = from; i < to; i++) {
    const digit = digitValues[text.charCodeAt(i)] ?? noDigit
    if (digit === noDigit) return -1
    chunk = chunk * 62 + digit
  }
  return chunk
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const byteCount = 32
const wordCount = byteCount / 2
/** 62^43 is just above 2^256. */
const textDigits = 43
const chunkDigits = 5
const chunkBase = 62 ** chunkDigits
const chunkCount = 9
/** By character code. */
const noDigit = 0xff
const digitValues = new Uint8Array(128).fill(noDigit)
for (let i = 0; i < alphabet.length; i++) digitValues[alphabet.charCodeAt(i)] = i
/** The first word that the number may reach with each chunk: a chunk has less than 30 bits. */
const firstWords = Array.from({ length: chunkCount }, (_, chunk) => Math.max(0, wordCount - Math.ceil((30 * (chunk + 1)) / 16)))
const digitCodes = Buffer.from(alphabet, 'latin1')
/** How many words of the number are zero before each chunk is taken from it: a chunk has more than 29 bits. */
const zeroWords = Array.from({ length: chunkCount }, (_, chunk) => Math.floor((Math.log2(chunkBase) * chunk) / 16))
/** The digits in progress, like the number: outside the collector's heap, zeroed between uses. */
const digits = Buffer.from(new ArrayBuffer(chunkCount * chunkDigits))
/** The number in progress, outside the collector's heap; zeroed between uses. */
const words = new Uint16Array(new ArrayBuffer(byteCount))
