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
  if (text.length !== textDigits) return null
  const padded = text.padStart(chunkCount * chunkDigits, alphabet.charAt(0))
  for (let at = 0; at < padded.length; at += chunkDigits) {
    const chunk = numberOf(padded, at)
    if (chunk !== null && multiplyAdd(words, chunk) === 0) continue
    words.fill(0)
    return null
  }
  const bytes = allocateOffHeap(byteCount)
  for (let i = 0; i < byteCount; i++) bytes[i] = (words[i >> 1] ?? 0) >> (i % 2 === 0 ? 8 : 0)
  words.fill(0)
  return bytes
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

/** Multiplies the number by 62^5 in place, adds, and returns the overflow. */
function multiplyAdd(words: Uint16Array, add: number): number {
  let carry = add
  for (let i = wordCount - 1; i >= 0; i--) {
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

function numberOf(text: string, from: number): number | null {
  let chunk = 0
  for (let i = from; i < from + chunkDigits; i++) {
    const digit = alphabet.indexOf(text.charAt(i))
    if (digit < 0) return null
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
/** The number in progress, outside the collector's heap; zeroed between uses. */
const words = new Uint16Array(new ArrayBuffer(byteCount))
