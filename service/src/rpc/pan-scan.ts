import { hasValidCheckDigit } from '@tessera/contract/card'
import { allocateOffHeap } from '@tessera/contract/off-heap'
import type { CardRoute } from '@tessera/contract/route'

/**
 * Finds card numbers where none belongs (wire §3): a Luhn-valid run of exactly 16 digits, whole or in groups of four with single blanks or
 * dashes between them, under a routed prefix of at least four digits. Narrow on purpose: a merchant's long order number is not refused by chance.
 */
export interface PanScan {
  /** Whether the text `[from, to)` holds one. */
  inText(bytes: Uint8Array, from: number, to: number): boolean
  /** Whether the JSON number `[from, to)` holds one or is one, also as `8.600…e15`. */
  inNumber(bytes: Uint8Array, from: number, to: number): boolean
}

/** Fewer digits than this in a text, and it needs no look. */
export const panDigits = 16

export function makePanScan(routes: readonly CardRoute[]): PanScan {
  const prefixes = new Set(routes.map((route) => route.prefix).filter((prefix) => prefix.length >= prefixDigitsMin))
  const known = [...new Set([...prefixes].map((prefix) => prefix.length))].map((length) => ({
    length,
    values: new Set([...prefixes].filter((prefix) => prefix.length === length).map(Number)),
  }))
  const isPan = (digits: Uint8Array): boolean =>
    known.some(({ length, values }) => values.has(leadingNumber(digits, length))) && hasValidCheckDigit(digits)

  return Object.freeze({
    inText: (bytes: Uint8Array, from: number, to: number) => scanText(bytes, from, to, isPan),
    inNumber: (bytes: Uint8Array, from: number, to: number) =>
      scanText(bytes, from, to, isPan) || (hasExponent(bytes, from, to) && isPanByValue(bytes, from, to, isPan)),
  })
}

function scanText(bytes: Uint8Array, from: number, to: number, isPan: (digits: Uint8Array) => boolean): boolean {
  for (let at = from; at < to; at++) {
    if (!isDigit(bytes[at])) continue
    const end = endOfRun(bytes, at, to)
    const found = end - at === panDigits ? isPan(bytes.subarray(at, end)) : end - at === groupDigits && isGroupedPan(bytes, at, to, isPan)
    if (found) return true
    at = end
  }
  return false
}

/** `at` is the start of a run of four digits. */
function isGroupedPan(bytes: Uint8Array, at: number, to: number, isPan: (digits: Uint8Array) => boolean): boolean {
  for (let group = 0; group < 4; group++) {
    const start = at + group * (groupDigits + 1)
    if (endOfRun(bytes, start, to) - start !== groupDigits) return false
    if (group > 0 && !isSeparator(bytes[start - 1])) return false
    for (let i = 0; i < groupDigits; i++) gathered[group * groupDigits + i] = bytes[start + i] ?? 0
  }
  return judgeGathered(isPan)
}

/** A number written with a point or an exponent: the 16 digits of its whole part, if it has 16. */
function isPanByValue(bytes: Uint8Array, from: number, to: number, isPan: (digits: Uint8Array) => boolean): boolean {
  let at = bytes[from] === MINUS ? from + 1 : from
  let wholeDigits = 0
  let kept = 0
  let afterPoint = false
  gathered.fill(ZERO)
  for (; at < to && (isDigit(bytes[at]) || bytes[at] === POINT); at++) {
    const byte = bytes[at] ?? 0
    if (byte === POINT) {
      afterPoint = true
      continue
    }
    const isLeadingZero = kept === 0 && byte === ZERO
    if (!afterPoint && !isLeadingZero) wholeDigits++
    if (afterPoint && isLeadingZero) wholeDigits--
    if (isLeadingZero) continue
    if (kept < panDigits) gathered[kept] = byte
    kept++
  }
  return wholeDigits + readExponent(bytes, at, to) === panDigits && judgeGathered(isPan)
}

/** `at` stands on the `e`. */
function readExponent(bytes: Uint8Array, at: number, to: number): number {
  let exponent = 0
  for (let i = at + 1; i < to && exponent < exponentMax; i++) if (isDigit(bytes[i])) exponent = exponent * 10 + (bytes[i] ?? 0) - ZERO
  return bytes[at + 1] === MINUS ? -exponent : exponent
}

function judgeGathered(isPan: (digits: Uint8Array) => boolean): boolean {
  const found = isPan(gathered)
  gathered.fill(0)
  return found
}

function hasExponent(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (((bytes[at] ?? 0) | 0x20) === 0x65) return true
  return false
}

function endOfRun(bytes: Uint8Array, at: number, to: number): number {
  let end = at
  while (end < to && isDigit(bytes[end])) end++
  return end
}

function leadingNumber(digits: Uint8Array, length: number): number {
  let value = 0
  for (let i = 0; i < length; i++) value = value * 10 + (digits[i] ?? 0) - ZERO
  return value
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9
}

function isSeparator(byte: number | undefined): boolean {
  return byte === 0x20 || byte === MINUS
}

const prefixDigitsMin = 4
const groupDigits = 4
/** Beyond this an exponent cannot lead back to 16 digits: a body has 64 KiB. */
const exponentMax = 1_000_000
const ZERO = 0x30
const MINUS = 0x2d
const POINT = 0x2e
/** Outside the collector's heap, which would leave copies behind as it moves things; wiped after each use. */
const gathered = allocateOffHeap(panDigits)
