import assert from 'node:assert/strict'
import { test } from 'node:test'

import { digitAlphabet, foldCode, hasLetters, isVerificationCode, letterAlphabet, lookalikeGroups } from './verification-code.ts'

test('the letters of codes have no vowel and no two that look alike', () => {
  assert.ok(!/[AEIOUY]/.test(letterAlphabet))
  for (const group of lookalikeGroups) assert.ok(Array.from(group).filter((each) => letterAlphabet.includes(each)).length <= 1, group)
  assert.equal(new Set(letterAlphabet).size, letterAlphabet.length)
})

test('small letters, Cyrillic letters and characters that look alike are read as those of the alphabet', () => {
  for (const [typed, alphabet, expected] of [
    ['k7mx', letterAlphabet, 'K7MX'],
    ['К7МХ', letterAlphabet, 'K7MX'],
    ['к7мх', letterAlphabet, 'K7MX'],
    ['o1l', '01AB', '011'],
    ['01', 'OLAB', 'OL'],
    ['A!', letterAlphabet, 'A!'],
    ['o1l', digitAlphabet, 'o1l'],
  ] as const) {
    assert.equal(foldCode(typed, alphabet), expected, typed)
  }
})

test('a code has the length and the characters of its format, or is the fixed one', () => {
  const format = { length: 8, alphabet: letterAlphabet, fixed: '666666' }
  assert.ok(isVerificationCode('K7MX2345', format))
  assert.ok(isVerificationCode('666666', format))
  for (const text of ['', '666667', 'K7MX234', 'K7MX23456', 'k7mx2345', 'K7MX234A']) assert.ok(!isVerificationCode(text, format), text)
  assert.ok(!isVerificationCode('666666', { length: 8, alphabet: digitAlphabet }))
})

test('an alphabet has letters or not', () => {
  assert.deepEqual([digitAlphabet, letterAlphabet].map(hasLetters), [false, true])
})
