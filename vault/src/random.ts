import { randomFillSync, randomInt } from 'node:crypto'

import { allocateOffHeap } from '@tessera/contract/off-heap'

/** New random bytes in memory of their own, outside the collector's heap, for keys and secrets. */
export function randomSecret(count: number): Uint8Array<ArrayBuffer> {
  return fillSecret(allocateOffHeap(count))
}

/** Overwrites `bytes` with fresh random ones and returns them. `bytes` must lie outside the collector's heap. */
export function fillSecret(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return randomFillSync(bytes)
}

/** A secure random integer from 0 to below `bound`, for one-time passwords. */
export function randomInteger(bound: number): number {
  return randomInt(bound)
}

/**
 * Random bytes that are not secret: nonces, parts of ids. They are generated in blocks, because one call to the generator costs as much as an
 * HMAC; each byte is returned once and then blanked in the pool.
 */
export function randomPublic(count: number): Uint8Array<ArrayBuffer> {
  if (count > pool.length - next) {
    randomFillSync(pool)
    next = 0
  }
  const drawn = pool.slice(next, next + count)
  pool.fill(0, next, next + count)
  next += count
  return drawn
}

const pool = new Uint8Array(3072)
let next = pool.length
