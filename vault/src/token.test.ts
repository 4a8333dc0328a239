import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import fc from 'fast-check'

import { decodeBase62, encodeBase62 } from './base62.ts'
import { bucketOf, bucketOfId } from './id.ts'
import { merchantA } from './samples.fixture.ts'
import { issueToken, isTokenShape, parseToken, parseTokenKey } from './token.ts'

const nowMs = Date.UTC(2026, 10, 21)
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const anySecret = fc.uint8Array({ minLength: 32, maxLength: 32 })

test('an issued token parses to the card, secret and hash that it was issued with', () => {
  for (let i = 0; i < 200; i++) {
    const issued = issueToken(bucketOf(merchantA), nowMs)
    assert.match(issued.token, /^[0-9a-f]{24}_[0-9A-Za-z]{43}$/)
    const read = parseToken(issued.token)
    assert.deepEqual([read?.cardId, read?.secret, read?.hash], [issued.cardId, issued.secret, issued.hash])
    assert.equal(read?.bucket, bucketOf(merchantA))
  }
})

test('the stored hash of a token is SHA-256 of its 32 secret bytes', () => {
  const { secret, hash } = issueToken(1, nowMs)
  assert.equal(secret.length, 32)
  assert.deepEqual(Buffer.from(hash), createHash('sha256').update(secret).digest())
})

test('a card id is in the bucket of its merchant', () => {
  for (const bucket of [0, 1, 0xabc, 0xfff]) assert.equal(bucketOfId(issueToken(bucket, nowMs).cardId), bucket)
})

test('of 20,000 tokens no two share an id or a secret', () => {
  const tokens = Array.from({ length: 20_000 }, () => issueToken(1, nowMs))
  assert.equal(new Set(tokens.map(({ cardId }) => cardId)).size, tokens.length)
  assert.equal(new Set(tokens.map(({ token }) => token.slice(25))).size, tokens.length)
})

test('text that is not of token shape is not a token', () => {
  const { cardId, token } = issueToken(1, nowMs)
  const shapeless = [
    '',
    cardId,
    `${cardId}_`,
    `${cardId}_${'a'.repeat(19)}`,
    `${cardId}_${'a'.repeat(104)}`,
    `${cardId.toUpperCase()}_${'a'.repeat(43)}`,
    `${cardId}-${token.slice(25)}`,
    `${token.slice(0, -1)}-`,
    ` ${token}`,
    `${token}\n`,
    `${token} `,
    token.replace('_', '__'),
    `${token.slice(0, -1)}é`,
  ]
  for (const text of shapeless)
    assert.deepEqual([parseToken(text), parseTokenKey(text), isTokenShape(text)], [null, null, false], JSON.stringify(text))
})

test('what a card is found by is the same with and without the secret, whatever the text', () => {
  const { cardId, token } = issueToken(1, nowMs)
  const anyHalf = fc
    .array(fc.constantFrom(...(alphabet.match(/./g) ?? [])), { minLength: 18, maxLength: 105 })
    .map((digits) => digits.join(''))
  const known = [token, `${cardId}_${'z'.repeat(43)}`, `${cardId}_${'0'.repeat(43)}`, `${token.slice(0, -1)}é`, token.slice(1)]
  fc.assert(
    fc.property(
      fc.oneof(
        fc.constantFrom(...known),
        fc.string(),
        anyHalf.map((half) => `${cardId}_${half}`),
      ),
      (text) => {
        const whole = parseToken(text)
        const key = parseTokenKey(text)
        assert.equal(isTokenShape(text), whole !== null)
        assert.deepEqual([key?.cardId, key?.bucket, key?.hash], [whole?.cardId, whole?.bucket, whole?.hash])
        assert.ok(key === null || !('secret' in key))
      },
    ),
  )
})

test('a well-shaped token that was never issued has no secret, and a hash that no card has', () => {
  const { cardId, token, secret } = issueToken(1, nowMs)
  const foreign = [
    `${cardId}_${'a'.repeat(20)}`,
    `${cardId}_${'a'.repeat(103)}`,
    `${cardId}_0${token.slice(25)}`,
    `${cardId}_${token.slice(25, -1)}`,
    `${cardId}_${'z'.repeat(43)}`,
  ]
  for (const text of foreign) {
    const read = parseToken(text)
    assert.deepEqual([read?.cardId, read?.secret, read?.hash.length], [cardId, null, 32])
    assert.notDeepEqual(read?.hash, parseToken(token)?.hash)
  }
  assert.equal(new Set(foreign.map((text) => Buffer.from(parseToken(text)?.hash ?? secret).toString('hex'))).size, foreign.length)
})

test('each secret has one text of 43 digits: its number in base 62', () => {
  fc.assert(
    fc.property(anySecret, (secret) => {
      const text = encodeBase62(secret)
      assert.equal(text, numberInBase62(BigInt(`0x${Buffer.from(secret).toString('hex')}`)))
      assert.deepEqual(decodeBase62(text), secret)
    }),
    { examples: [[new Uint8Array(32)], [new Uint8Array(32).fill(0xff)], [Uint8Array.from({ length: 32 }, (_, i) => Number(i === 31))]] },
  )
})

test('a text of 43 digits decodes to the secret that encodes to it, or to none', () => {
  const anyText = fc
    .array(fc.integer({ min: 0, max: 61 }), { minLength: 43, maxLength: 43 })
    .map((digits) => digits.map((d) => alphabet[d]).join(''))
  fc.assert(
    fc.property(anyText, (text) => {
      const secret = decodeBase62(text)
      if (secret !== null) assert.equal(encodeBase62(secret), text)
      else assert.ok(numberOf(text) >= 2n ** 256n)
    }),
  )
})

test('the last number that fits 256 bits decodes, the next one does not', () => {
  assert.deepEqual(decodeBase62(numberInBase62(2n ** 256n - 1n)), new Uint8Array(32).fill(0xff))
  assert.equal(decodeBase62(numberInBase62(2n ** 256n)), null)
})

test('texts of another length or with other characters decode to nothing', () => {
  const text = encodeBase62(new Uint8Array(32).fill(7))
  for (const other of ['', text.slice(1), `0${text}`, `${text.slice(1)}-`, `${text.slice(1)}_`, `${text.slice(1)}é`, ' '.repeat(43)]) {
    assert.equal(decodeBase62(other), null, other)
  }
})

function numberInBase62(number: bigint): string {
  let text = ''
  for (let rest = number; text.length < 43; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text
  return text
}

function numberOf(text: string): bigint {
  return Array.from(text).reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n)
}
