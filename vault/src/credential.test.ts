import assert from 'node:assert/strict'
import { test } from 'node:test'

import { hashPassword, issuePassword, findMatchingVerifier } from './credential.ts'
import { WrongKeyError } from './dek.ts'
import { merchantA, merchantB, sampleDek } from './samples.fixture.ts'

const dek = sampleDek('pepper')
const symbols = /^[0-9A-Za-z&@?#%$_-]{36}$/

test('a password has 36 characters from 70 symbols, none of which has a meaning in X-Auth', () => {
  for (let i = 0; i < 1000; i++) assert.match(issuePassword(), symbols)
})

test('each of the 70 symbols is as likely as any other', () => {
  const seen = new Map<string, number>()
  const count = 10_000
  for (let i = 0; i < count; i++) for (const symbol of issuePassword()) seen.set(symbol, (seen.get(symbol) ?? 0) + 1)
  assert.equal(seen.size, 70)
  const expected = (count * 36) / 70
  const chiSquare = [...seen.values()].reduce((sum, times) => sum + (times - expected) ** 2 / expected, 0)
  // 69 degrees of freedom: 180 is passed once in 10^11 runs. Without rejection the first 46 symbols come a third more often: 5,000.
  assert.ok(chiSquare < 180, `chi-square ${chiSquare}`)
})

test('no two passwords are alike', () => {
  assert.equal(new Set(Array.from({ length: 5000 }, issuePassword)).size, 5000)
})

test('the stored hash is 32 bytes and matches the password, as text and as bytes', () => {
  const password = issuePassword()
  const stored = hashPassword(dek, merchantA, password)
  assert.equal(stored.length, 32)
  assert.ok(findMatchingVerifier(dek, merchantA, password, stored) >= 0)
  assert.ok(findMatchingVerifier(dek, merchantA, Uint8Array.from(Buffer.from(password)), stored) >= 0)
})

test('another password, merchant or pepper does not match', () => {
  const password = issuePassword()
  const stored = hashPassword(dek, merchantA, password)
  for (const other of ['', password.slice(1), `${password} `, password.toLowerCase() + 'x', issuePassword()]) {
    assert.equal(findMatchingVerifier(dek, merchantA, other, stored), -1)
  }
  assert.equal(findMatchingVerifier(dek, merchantB, password, stored), -1)
  assert.equal(findMatchingVerifier(sampleDek('pepper'), merchantA, password, stored), -1)
})

test('either of two stored hashes matches, in any order', () => {
  const [newest, older] = [issuePassword(), issuePassword()]
  const [first, second] = [hashPassword(dek, merchantA, newest), hashPassword(dek, merchantA, older)]
  for (const password of [newest, older]) assert.ok(findMatchingVerifier(dek, merchantA, password, first, second) >= 0)
  for (const password of [newest, older]) assert.ok(findMatchingVerifier(dek, merchantA, password, second, first) >= 0)
  assert.ok(findMatchingVerifier(dek, merchantA, newest, first, null) >= 0)
  assert.ok(findMatchingVerifier(dek, merchantA, newest, null, first) >= 0)
  assert.equal(findMatchingVerifier(dek, merchantA, issuePassword(), first, second), -1)
})

test('without a stored hash no password matches', () => {
  for (const stored of [null, new Uint8Array(), new Uint8Array(31), new Uint8Array(32)])
    assert.equal(findMatchingVerifier(dek, merchantA, 'x', stored), -1)
})

test('a key of another purpose hashes no password', () => {
  assert.throws(() => hashPassword(sampleDek('otp'), merchantA, 'x'), WrongKeyError)
})
