import { allocateOffHeap } from '@tessera/contract/off-heap'

import { randomSecret } from './random.ts'

// Shamir's secret sharing ("How to Share a Secret", 1979), each byte on its own in GF(2^8) with the polynomial of AES, x^8 + x^4 + x^3 + x + 1.
// Neither time nor memory access depends on a secret: no tables, no branches. docs/decisions/0065-custodian-shares.md says why this is not a library.

/** One point of the polynomials: the value of each at `x`. */
export interface SecretShare {
  /** From 1 to 255; not secret. */
  readonly x: number
  readonly y: Uint8Array
}

/** Splits a secret so that any `threshold` of the shares give it back, and fewer say nothing about it. The caller wipes the shares. */
export function splitSecret(
  secret: Uint8Array,
  { threshold, shares }: { readonly threshold: number; readonly shares: number },
): SecretShare[] {
  if (!Number.isInteger(threshold) || !Number.isInteger(shares) || threshold < 2 || threshold > shares || shares > sharesMax)
    throw new RangeError(`a threshold is from 2 to the number of shares, and that is at most ${String(sharesMax)}`)
  const coefficients = Array.from({ length: threshold - 1 }, () => randomSecret(secret.length))
  const points = Array.from({ length: shares }, (_, i) => ({ x: i + 1, y: evaluate(secret, coefficients, i + 1) }))
  for (const each of coefficients) each.fill(0)
  return points
}

/** The secret of exactly as many shares as their threshold, in memory of its own that the caller wipes. Others give another value. */
export function combineShares(shares: readonly SecretShare[]): Uint8Array {
  const length = shares[0]?.y.length ?? 0
  if (new Set(shares.map(({ x }) => x)).size !== shares.length) throw new RangeError('a share occurs twice')
  if (shares.some(({ x, y }) => x < 1 || x > sharesMax || y.length !== length)) throw new RangeError('a share is not of this secret')
  const secret = allocateOffHeap(length).fill(0)
  for (const share of shares) {
    const weight = weightAtZero(share.x, shares)
    for (let at = 0; at < length; at++) secret[at] = (secret[at] ?? 0) ^ multiply(share.y[at] ?? 0, weight)
  }
  return secret
}

/** Horner's rule; the secret is the constant term. */
function evaluate(secret: Uint8Array, coefficients: readonly Uint8Array[], x: number): Uint8Array {
  const y = allocateOffHeap(secret.length).fill(0)
  for (const coefficient of [...coefficients].reverse())
    for (let at = 0; at < y.length; at++) y[at] = multiply((y[at] ?? 0) ^ (coefficient[at] ?? 0), x)
  for (let at = 0; at < y.length; at++) y[at] = (y[at] ?? 0) ^ (secret[at] ?? 0)
  return y
}

/** Lagrange's basis polynomial of a point, at zero. Only positions of shares are in it, which are not secret. */
function weightAtZero(x: number, shares: readonly SecretShare[]): number {
  return shares.reduce((weight, other) => (other.x === x ? weight : multiply(multiply(weight, other.x), inverse(other.x ^ x))), 1)
}

/** Product in GF(2^8): eight rounds, whatever the operands are. */
function multiply(a: number, b: number): number {
  let [left, product] = [a, 0]
  for (let bit = 0; bit < 8; bit++) {
    product ^= -((b >> bit) & 1) & left
    left = ((left << 1) ^ (-(left >> 7) & 0x11b)) & 0xff
  }
  return product
}

/** a^254. */
function inverse(a: number): number {
  let [power, result] = [a, 1]
  for (let i = 0; i < 7; i++) {
    power = multiply(power, power)
    result = multiply(result, power)
  }
  return result
}

const sharesMax = 255
