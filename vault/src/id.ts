import { hash } from 'node:crypto'

import { drawPublic } from './random.ts'

/** The bucket of a merchant, 0 to 4095: first 12 bits of SHA-256 of its id. All that is a merchant's lies in its bucket. */
export function bucketOf(merchantId: string): number {
  return Number.parseInt(hash('sha256', merchantId, 'hex').slice(0, 3), 16)
}

/** A public id, 24 hex digits: 8 of unix seconds, 1 region, 3 bucket, 12 random. `nowMs` is unix milliseconds. */
export function issueId(bucket: number, nowMs: number): string {
  const seconds = hex(Math.floor(nowMs / 1000), 8)
  return `${seconds}${region}${hex(bucket, 3)}${Buffer.from(drawPublic(6)).toString('hex')}`
}

/** The least id of any bucket that may be issued in the second of `nowMs`; past the last second there is, one above every id. */
export function leastIdAt(nowMs: number): string {
  const seconds = Math.max(0, Math.floor(nowMs / 1000))
  return seconds > 0xffffffff ? 'g' : hex(seconds, 8)
}

/** The bucket that an id of ours carries; null when it is not 24 lower-case hex digits. */
export function bucketOfId(id: string): number | null {
  return isId(id) ? Number.parseInt(id.slice(9, 12), 16) : null
}

export function isId(text: string): boolean {
  if (text.length !== idDigits) return false
  for (let i = 0; i < idDigits; i++) if (!isHexDigit(text.charCodeAt(i))) return false
  return true
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
