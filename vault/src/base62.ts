import { allocateOffHeap } from '@tessera/contract/off-heap'

/** 32 bytes as 43 letters and digits: the big-endian number, most significant digit first. Two digits of 45 are always zero and left out. */
export function encodeBase62(bytes: Uint8Array): string {
  for (let i = 0; i < wordCount; i++) words[i] = ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)
  let text = ''
  for (let i = 0; i < chunkCount; i++) text = digitsOf(divide(words)) + text
  return text.slice(chunkCount * chunkDigits - textDigits)
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

/** Divides the number by 62^5 in place and returns the remainder. Sums stay below 2^46, exact in a double. */
function divide(words: Uint16Array): number {
  let remainder = 0
  for (let i = 0; i < wordCount; i++) {
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

function digitsOf(chunk: number): string {
  let text = ''
  for (let i = 0, rest = chunk; i < chunkDigits; i++, rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text
  return text
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
/** The number in progress, outside the collector's heap; zeroed between uses. */
const words = new Uint16Array(new ArrayBuffer(byteCount))
