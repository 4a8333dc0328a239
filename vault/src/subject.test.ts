import assert from 'node:assert/strict'
import { test } from 'node:test'

import { WrongKey } from './dek.ts'
import { panOf, sampleDek, samplePan } from './samples.fixture.ts'
import { limitIin, limitSubject } from './subject.ts'

const dek = sampleDek('limits')
const phone = Uint8Array.from(Buffer.from('998901234566'))

test('one card has one subject a day, however it was read', () => {
  assert.equal(limitSubject(dek, 'pan', samplePan()).length, 32)
  assert.deepEqual(limitSubject(dek, 'pan', samplePan()), limitSubject(dek, 'pan', samplePan().reveal()))
})

test('another card, phone, scope or day is another subject', () => {
  const subjects = [
    limitSubject(dek, 'pan', samplePan()),
    limitSubject(dek, 'pan', panOf('8600495473316478')),
    limitSubject(dek, 'pan', phone),
    limitSubject(dek, 'phone', phone),
    limitSubject(sampleDek('limits'), 'phone', phone),
  ]
  assert.equal(new Set(subjects.map((subject) => Buffer.from(subject).toString('hex'))).size, subjects.length)
})

test('making a subject leaves the PAN as it is', () => {
  const pan = samplePan()
  limitSubject(dek, 'pan', pan)
  assert.equal(Buffer.from(pan.reveal()).toString('latin1'), '8600069195406311')
})

test('a key of another purpose makes no subject', () => {
  assert.throws(() => limitSubject(sampleDek('row_mac'), 'phone', phone), WrongKey)
})

test('cards whose first six or eight digits are the same have the same subject under one key of the day, and no other', () => {
  const hex = (digits: 6 | 8, number: string, key = dek) => Buffer.from(limitIin(key, digits, panOf(number))).toString('hex')
  assert.equal(hex(6, '8600069195406311'), hex(6, '8600060921090842'))
  assert.notEqual(hex(8, '8600069195406311'), hex(8, '8600060921090842'))
  assert.notEqual(hex(6, '8600069195406311'), hex(6, '8600495473316478'))
  assert.notEqual(hex(6, '8600069195406311'), hex(8, '8600069195406311'))
  assert.notEqual(hex(6, '8600069195406311'), hex(6, '8600069195406311', sampleDek('limits')))
  assert.throws(() => hex(6, '8600069195406311', sampleDek('row_mac')), WrongKey)
})
