import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import { findProof, isProof } from './proof-of-work.ts'

const challenge = '00ff'.repeat(8) + '80a5'.repeat(8)

/** The zero bits at the start of SHA-256, by Node's implementation. */
function zeroBits(nonce: number): number {
  const bytes = Buffer.alloc(40)
  bytes.write(challenge, 'hex')
  bytes.writeBigUInt64BE(BigInt(nonce), 32)
  const [first = 0] = new Uint32Array([createHash('sha256').update(bytes).digest().readUInt32BE(0)])
  return Math.clz32(first)
}

test('a nonce is accepted exactly when SHA-256 has the zero bits, by another implementation', () => {
  for (const nonce of [0, 1, 255, 4096, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 17, Number.MAX_SAFE_INTEGER]) {
    const bits = zeroBits(nonce)
    assert.deepEqual([isProof({ challenge, bits }, nonce), isProof({ challenge, bits: bits + 1 }, nonce)], [true, false], String(nonce))
  }
})

test('the search finds the first nonce, in steps, and none where there is none', () => {
  const request = { challenge, bits: 12 }
  const found = findProof(request, { from: 0, count: 100_000 })
  assert.ok(found !== null && zeroBits(found) >= 12)
  assert.equal(findProof(request, { from: 0, count: found }), null)
  assert.equal(findProof(request, { from: found, count: 1 }), found)
})

test('what is not a challenge or not a nonce is no proof', () => {
  for (const wrong of ['', 'ff', challenge.toUpperCase(), `${challenge}00`, 'zz'.repeat(32)])
    assert.equal(isProof({ challenge: wrong, bits: 0 }, 1), false)
  for (const nonce of [-1, 0.5, NaN, Infinity, 2 ** 60]) assert.equal(isProof({ challenge, bits: 0 }, nonce), false)
})
