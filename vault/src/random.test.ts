import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { mock, test } from 'node:test'

import { randomPublic, randomSecret } from './random.ts'

test('no nonce is returned twice, over many blocks of the pool and in any sizes', () => {
  const drawn = new Set<string>()
  for (let i = 0; i < 20_000; i++) {
    drawn.add(Buffer.from(randomPublic(12)).toString('hex'))
    if (i % 3 === 0) randomPublic(i % 17)
  }
  assert.equal(drawn.size, 20_000)
})

test('random bytes have the requested length, in memory of their own', () => {
  for (const draw of [randomPublic, randomSecret]) {
    for (const count of [1, 6, 12, 16, 32]) {
      const bytes = draw(count)
      assert.deepEqual([bytes.length, bytes.buffer.byteLength], [count, count])
    }
  }
})

test('random bytes take every value about equally often', () => {
  for (const draw of [randomPublic, randomSecret]) {
    const seen = new Array<number>(256).fill(0)
    for (let i = 0; i < 8192; i++) for (const byte of draw(32)) seen[byte] = (seen[byte] ?? 0) + 1
    // 1,024 expected of each, standard deviation 32: ten of those are never left by chance.
    assert.ok(
      seen.every((count) => Math.abs(count - 1024) < 320),
      seen.join(' '),
    )
  }
})

test('bytes that were returned are blanked in the pool', () => {
  const pools: Uint8Array[] = []
  const { randomFillSync } = crypto
  const fill = mock.method(crypto, 'randomFillSync', (bytes: Uint8Array) => (pools.push(bytes), randomFillSync(bytes)))
  syncBuiltinESMExports()
  while (pools.length === 0) randomPublic(12)
  const pool = pools[0] ?? new Uint8Array()
  randomPublic(16)
  fill.mock.restore()
  syncBuiltinESMExports()
  assert.ok(pool.length > 28 && pool.subarray(0, 28).every((byte) => byte === 0))
  assert.ok(pool.subarray(28).some((byte) => byte !== 0))
})
