import assert from 'node:assert/strict'
import { test } from 'node:test'

import { hashPassword, issuePassword, samePassword } from './credential.ts'
import { WrongKey } from './dek.ts'
import { merchantA, merchantB, sampleDek } from './samples.fixture.ts'

const dek = sampleDek('pepper')
const symbols = /^[0-9A-Za-z&@?#%$_-]{36}$/

test('a password is 36 of 70 symbols, none of which X-Auth reads otherwise', () => {
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

test('the kept hash fits the password, as text and as bytes, and 32 bytes are kept', () => {
  const password = issuePassword()
  const kept = hashPassword(dek, merchantA, password)
  assert.equal(kept.length, 32)
  assert.ok(samePassword(dek, merchantA, password, kept))
  assert.ok(samePassword(dek, merchantA, Uint8Array.from(Buffer.from(password)), kept))
})

test('another password, merchant or pepper does not fit', () => {
  const password = issuePassword()
  const kept = hashPassword(dek, merchantA, password)
  for (const other of ['', password.slice(1), `${password} `, password.toLowerCase() + 'x', issuePassword()]) {
    assert.ok(!samePassword(dek, merchantA, other, kept))
  }
  assert.ok(!samePassword(dek, merchantB, password, kept))
  assert.ok(!samePassword(sampleDek('pepper'), merchantA, password, kept))
})

test('of two kept hashes either fits, whichever comes first', () => {
  const [newest, older] = [issuePassword(), issuePassword()]
  const [first, second] = [hashPassword(dek, merchantA, newest), hashPassword(dek, merchantA, older)]
  for (const password of [newest, older]) assert.ok(samePassword(dek, merchantA, password, first, second))
  for (const password of [newest, older]) assert.ok(samePassword(dek, merchantA, password, second, first))
  assert.ok(samePassword(dek, merchantA, newest, first, null))
  assert.ok(samePassword(dek, merchantA, newest, null, first))
  assert.ok(!samePassword(dek, merchantA, issuePassword(), first, second))
})

test('where no hash is kept, no password fits', () => {
  for (const kept of [null, new Uint8Array(), new Uint8Array(31), new Uint8Array(32)]) assert.ok(!samePassword(dek, merchantA, 'x', kept))
})

test('a key of another purpose hashes no password', () => {
  assert.throws(() => hashPassword(sampleDek('otp'), merchantA, 'x'), WrongKey)
})
