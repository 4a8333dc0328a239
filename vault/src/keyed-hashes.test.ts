import assert from 'node:assert/strict'
import { test } from 'node:test'

import { WrongKeyError } from './dek.ts'
import { hashLimitIin, hashLimitSubject, hashOtp } from './keyed-hashes.ts'
import { merchantA, merchantB, panOf, sampleDek, samplePan } from './samples.fixture.ts'

const otpDek = sampleDek('otp')
const claim = { attemptId: 'a1', cardId: 'c1', merchantId: merchantA, code: '012345' }

test('a code hashes to the same 32 bytes for the same attempt, card and merchant', () => {
  assert.equal(hashOtp(otpDek, claim).length, 32)
  assert.deepEqual(hashOtp(otpDek, claim), hashOtp(otpDek, { ...claim }))
})

test('the hash of a code matches no other code, attempt, card, merchant or day', () => {
  const others = [
    { code: '12345' },
    { code: '012346' },
    { attemptId: 'a2' },
    { cardId: 'c2' },
    { merchantId: merchantB },
    { attemptId: 'a1c', cardId: '1' },
  ]
  const hashes = [
    hashOtp(otpDek, claim),
    ...others.map((other) => hashOtp(otpDek, { ...claim, ...other })),
    hashOtp(sampleDek('otp'), claim),
  ]
  assert.equal(new Set(hashes.map((hash) => Buffer.from(hash).toString('hex'))).size, hashes.length)
})

test('a key of another purpose hashes no code', () => {
  assert.throws(() => hashOtp(sampleDek('limits'), claim), WrongKeyError)
})

const limitsDek = sampleDek('limits')
const phone = Uint8Array.from(Buffer.from('998901234566'))

test('a card has one limit subject a day, however it was read', () => {
  assert.equal(hashLimitSubject(limitsDek, 'pan', samplePan()).length, 32)
  assert.deepEqual(hashLimitSubject(limitsDek, 'pan', samplePan()), hashLimitSubject(limitsDek, 'pan', samplePan().reveal()))
})

test('another card, phone, scope or day has another limit subject', () => {
  const subjects = [
    hashLimitSubject(limitsDek, 'pan', samplePan()),
    hashLimitSubject(limitsDek, 'pan', panOf('8600495473316478')),
    hashLimitSubject(limitsDek, 'pan', phone),
    hashLimitSubject(limitsDek, 'phone', phone),
    hashLimitSubject(sampleDek('limits'), 'phone', phone),
  ]
  assert.equal(new Set(subjects.map((subject) => Buffer.from(subject).toString('hex'))).size, subjects.length)
})

test('computing a limit subject leaves the PAN unchanged', () => {
  const pan = samplePan()
  hashLimitSubject(limitsDek, 'pan', pan)
  assert.equal(Buffer.from(pan.reveal()).toString('latin1'), '8600069195406311')
})

test('a key of another purpose computes no limit subject', () => {
  assert.throws(() => hashLimitSubject(sampleDek('row_mac'), 'phone', phone), WrongKeyError)
})

test('cards with the same first six or eight digits share a limit subject under one daily key, and no others do', () => {
  const hex = (digits: 6 | 8, number: string, key = limitsDek) => Buffer.from(hashLimitIin(key, digits, panOf(number))).toString('hex')
  assert.equal(hex(6, '8600069195406311'), hex(6, '8600060921090842'))
  assert.notEqual(hex(8, '8600069195406311'), hex(8, '8600060921090842'))
  assert.notEqual(hex(6, '8600069195406311'), hex(6, '8600495473316478'))
  assert.notEqual(hex(6, '8600069195406311'), hex(8, '8600069195406311'))
  assert.notEqual(hex(6, '8600069195406311'), hex(6, '8600069195406311', sampleDek('limits')))
  assert.throws(() => hex(6, '8600069195406311', sampleDek('row_mac')), WrongKeyError)
})
