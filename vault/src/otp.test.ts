import assert from 'node:assert/strict'
import { test } from 'node:test'

import { WrongKey } from './dek.ts'
import { hashOtp } from './otp.ts'
import { merchantA, merchantB, sampleDek } from './samples.fixture.ts'

const dek = sampleDek('otp')
const claim = { attemptId: 'a1', cardId: 'c1', merchantId: merchantA, code: '012345' }

test('a code hashes to the same 32 bytes for the same attempt, card and merchant', () => {
  assert.equal(hashOtp(dek, claim).length, 32)
  assert.deepEqual(hashOtp(dek, claim), hashOtp(dek, { ...claim }))
})

test('the hash of a code is of no use for another code, attempt, card, merchant or day', () => {
  const others = [
    { code: '12345' },
    { code: '012346' },
    { attemptId: 'a2' },
    { cardId: 'c2' },
    { merchantId: merchantB },
    { attemptId: 'a1c', cardId: '1' },
  ]
  const hashes = [hashOtp(dek, claim), ...others.map((other) => hashOtp(dek, { ...claim, ...other })), hashOtp(sampleDek('otp'), claim)]
  assert.equal(new Set(hashes.map((hash) => Buffer.from(hash).toString('hex'))).size, hashes.length)
})

test('a key of another purpose hashes no code', () => {
  assert.throws(() => hashOtp(sampleDek('limits'), claim), WrongKey)
})
