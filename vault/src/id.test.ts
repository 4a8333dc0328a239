import assert from 'node:assert/strict'
import { test } from 'node:test'

import { bucketOf, bucketOfId, isId, issueId, leastIdAt } from './id.ts'
import { merchantA } from './samples.fixture.ts'

test('the bucket of a merchant is the first 12 bits of SHA-256 of its id, for ever', () => {
  assert.equal(bucketOf(merchantA), 0x324)
  assert.equal(bucketOf(''), 0xe3b)
})

test('an id is 8 hex digits of unix seconds, region 0, 3 of bucket and 12 random', () => {
  const id = issueId(0xabc, 0x6745a1f0 * 1000 + 999)
  assert.match(id, /^6745a1f00abc[0-9a-f]{12}$/)
  assert.equal(bucketOfId(id), 0xabc)
})

test('two ids of one second and bucket differ', () => {
  assert.equal(new Set(Array.from({ length: 5000 }, () => issueId(1, 0))).size, 5000)
})

test('an id is not issued for a bucket or a time that its digits cannot hold', () => {
  for (const bucket of [-1, 4096, 1.5, Number.NaN]) assert.throws(() => issueId(bucket, 0), RangeError)
  for (const nowMs of [-1000, 2 ** 32 * 1000, Number.NaN]) assert.throws(() => issueId(1, nowMs), RangeError)
})

test('what is not 24 lower-case hex digits is no id and has no bucket', () => {
  for (const text of ['', merchantA.slice(1), `${merchantA}0`, merchantA.toUpperCase(), `${merchantA}\n`, 'g'.repeat(24)]) {
    assert.deepEqual([isId(text), bucketOfId(text)], [false, null], text)
  }
  assert.ok(isId(merchantA))
})

test('the ids of a second lie from the least of it to the least of the next, and none beyond the last second there is', () => {
  const at = 0x6745a1f0 * 1000 + 999
  const id = issueId(0xabc, at)
  assert.ok(leastIdAt(at) < id && id < leastIdAt(at + 1) && leastIdAt(-5) < id)
  assert.ok('f'.repeat(24) < leastIdAt(Number.MAX_SAFE_INTEGER))
})
