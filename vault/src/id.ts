import { hash } from 'node:crypto'

import { randomPublic } from './random.ts'

/** The bucket of a merchant, 0 to 4095: the first 12 bits of SHA-256 of its id. All rows of a merchant are in its bucket. */
export function bucketOf(merchantId: string): number {
  return Number.parseInt(hash('sha256', merchantId, 'hex').slice(0, 3), 16)
}

/** A public id, 24 hex digits: 8 of unix seconds, 1 region, 3 bucket, 12 random. `nowMs` is unix milliseconds. */
export function issueId(bucket: number, nowMs: number): string {
  const prefix = `${hex(Math.floor(nowMs / 1000), 8)}${region}${hex(bucket, 3)}`
  return drawId(() => `${prefix}${drawHex(6)}`)
}

/** A random id of `bytes` bytes as hex digits, for ids that carry neither a time nor a bucket. */
export function issueRandomId(bytes: number): string {
  return drawId(() => drawHex(bytes))
}

/**
 * Draws an id again while it holds 15 decimal digits in a row, the length of the shortest card number that the reader detects. Such an id would be
 * refused as a card number out of place whenever a merchant sent it back. Every id that the service issues is drawn here.
 * Throws when the source of randomness keeps giving such ids.
 */
export function drawId(draw: () => string): string {
  for (let attempt = 0; attempt < maxDraws; attempt++) {
    const id = draw()
    if (!longDigitRun.test(id)) return id
  }
  throw new Error(`${maxDraws} ids in a row held 15 decimal digits: the random source is broken`)
}

/** The smallest id of any bucket for the second of `nowMs`; beyond the last representable second, a text above every id. */
export function leastIdAt(nowMs: number): string {
  const seconds = Math.max(0, Math.floor(nowMs / 1000))
  return seconds > 0xffffffff ? 'g' : hex(seconds, 8)
}

/** The bucket of an issued id; null when the text is not 24 lower-case hex digits. */
export function bucketOfId(id: string): number | null {
  return isId(id) ? Number.parseInt(id.slice(9, 12), 16) : null
}

export function isId(text: string): boolean {
  if (text.length !== idDigits) return false
  for (let i = 0; i < idDigits; i++) if (!isHexDigit(text.charCodeAt(i))) return false
  return true
}

function drawHex(bytes: number): string {
  return Buffer.from(randomPublic(bytes)).toString('hex')
}

/** Lower case only. */
function isHexDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x66)
}

function hex(value: number, digits: number): string {
  const text = value.toString(16).padStart(digits, '0')
  if (!Number.isInteger(value) || value < 0 || text.length !== digits) throw new RangeError(`not ${digits} hex digits`)
  return text
}

/** The first region; others are reserved in the layout. */
const region = '0'
const idDigits = 24
const longDigitRun = /[0-9]{15}/
/** Twelve decimal digits before the random ones leave one id in four to be drawn again: 4^-100 is never. */
const maxDraws = 100
