import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readSearchTerms } from './search-terms.ts'

const none = { id: null, idStart: null, cardMask: null, phone: null, amountTiyin: null }

test('a text is read as everything that it may be', () => {
  const id = '6b02a1f307f3000000000abc'
  for (const [typed, expected] of [
    ['O-7712', none],
    ['payer@example.uz', none],
    [id, { ...none, id }],
    [` ${id.toUpperCase()} `, { ...none, id }],
    ['6b02', { ...none, idStart: '6b02' }],
    ['6b02a1f3…', { ...none, idStart: '6b02a1f3' }],
    ['6B02A1F307F...', { ...none, idStart: '6b02a1f307f' }],
    ['face', { ...none, idStart: 'face' }],
    ['6b0', none],
    ['6311', { ...none, cardMask: '6311', amountTiyin: 631_100 }],
    ['*6311', { ...none, cardMask: '6311' }],
    ['•••• 6311', { ...none, cardMask: '6311' }],
    ['860006******6311', { ...none, cardMask: '8600066311' }],
    ['8600 06** **** 6311', { ...none, cardMask: '8600066311' }],
    ['54174', { ...none, amountTiyin: 5_417_400 }],
    ['541740', { ...none, idStart: '541740', amountTiyin: 54_174_000 }],
    ['54 174,5', { ...none, amountTiyin: 5_417_450 }],
    ["54\u00a0174.05 so'm", { ...none, amountTiyin: 5_417_405 }],
    ['54174 сум', { ...none, amountTiyin: 5_417_400 }],
    ['0', none],
    ['54.174', none],
    ['+998 (90) 123-45-67', { ...none, phone: '998901234567' }],
    ['998901234567', { ...none, idStart: '998901234567', phone: '998901234567' }],
    ['90 123 45 67', { ...none, phone: '998901234567', amountTiyin: 90_123_456_700 }],
    ['+90 123 45 67', none],
    ['-5', none],
  ] as const) {
    const { text, ...terms } = readSearchTerms(typed)
    assert.deepEqual(terms, expected, typed)
    assert.equal(text, typed.trim())
  }
})

test('an amount above the largest of a receipt is none', () => {
  assert.equal(readSearchTerms('100 000 000 000').amountTiyin, 10_000_000_000_000)
  assert.equal(readSearchTerms('100 000 000 001').amountTiyin, null)
})
