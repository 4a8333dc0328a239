import { randomFillSync } from 'node:crypto'

import { allocateOffHeap } from '@tessera/contract/off-heap'

/** Fresh random bytes in memory of their own, outside the collector's heap, for keys and secrets. */
export function drawSecret(count: number): Uint8Array<ArrayBuffer> {
  return randomFillSync(allocateOffHeap(count))
}

/**
 * Random bytes that are no secret: nonces, parts of ids. They are drawn in blocks, since one call to the generator costs as much as an
 * HMAC; each byte is given out once and blanked behind.
 */
export function drawPublic(count: number): Uint8Array<ArrayBuffer> {
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
