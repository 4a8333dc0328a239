import { randomFillSync } from 'node:crypto'

export const nonceBytes = 12

/**
 * A 96-bit random nonce (NIST SP 800-38D §8.2.2). Drawn in blocks, since one call to the generator costs more than a seal's HMAC;
 * each byte is given out once and blanked behind.
 */
export function drawNonce(): Uint8Array {
  if (next === pool.length) {
    randomFillSync(pool)
    next = 0
  }
  const nonce = pool.slice(next, next + nonceBytes)
  pool.fill(0, next, next + nonceBytes)
  next += nonceBytes
  return nonce
}

/** Fresh random bytes in memory of their own, for secrets and keys: never pooled. */
export function drawBytes(count: number): Uint8Array<ArrayBuffer> {
  return randomFillSync(new Uint8Array(count))
}

const pool = new Uint8Array(256 * nonceBytes)
let next = pool.length
