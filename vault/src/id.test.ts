import assert from 'node:assert/strict'
import { test } from 'node:test'

import { bucketOf, bucketOfId, drawId, isId, issueId, issueRandomId, leastIdAt } from './id.ts'
import { merchantA } from './samples.fixture.ts'

test('the bucket of a merchant is always the first 12 bits of SHA-256 of its id', () => {
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

test('an id with 15 decimal digits in a row is drawn again', () => {
  const drawn = ['860006919540631100abcdef', 'a378282246310005abcdef01', '86000691954063a100abcdef']
  assert.equal(
    drawId(() => drawn.shift() ?? ''),
    '86000691954063a100abcdef',
  )
})

test('a random source that never gives a usable id is an error, not an endless loop', () => {
  assert.throws(() => drawId(() => '0'.repeat(24)), /random source/)
})

test('no issued id holds 15 decimal digits in a row, even where its time and bucket are decimal digits alone', () => {
  const decimalSecond = 0x69217580 * 1000
  for (let i = 0; i < 20_000; i++) {
    assert.doesNotMatch(issueId(0x123, decimalSecond), /[0-9]{15}/)
    assert.doesNotMatch(issueRandomId(16), /[0-9]{15}/)
  }
})

test('an id is not issued for a bucket or a time that its digits cannot hold', () => {
  for (const bucket of [-1, 4096, 1.5, Number.NaN]) assert.throws(() => issueId(bucket, 0), RangeError)
  for (const nowMs of [-1000, 2 ** 32 * 1000, Number.NaN]) assert.throws(() => issueId(1, nowMs), RangeError)
})

test('anything but 24 lower-case hex digits is not an id and has no bucket', () => {
  for (const text of ['', merchantA.slice(1), `${merchantA}0`, merchantA.toUpperCase(), `${merchantA}\n`, 'g'.repeat(24)]) {
    assert.deepEqual([isId(text), bucketOfId(text)], [false, null], text)
  }
  assert.ok(isId(merchantA))
})

test('the ids of a second sort between its smallest id and that of the next second, up to the last second', () => {
  const at = 0x6745a1f0 * 1000 + 999
  const id = issueId(0xabc, at)
  assert.ok(leastIdAt(at) < id && id < leastIdAt(at + 1) && leastIdAt(-5) < id)
  assert.ok('f'.repeat(24) < leastIdAt(Number.MAX_SAFE_INTEGER))
})
