import assert from 'node:assert/strict'
import { test } from 'node:test'

import { countSmsSegments, encodeGsmText, isGsmText, splitSmsText } from './sms-text.ts'

test('a message has 160 characters of the default alphabet or 70 of UCS-2, and each of several segments 153 or 67', () => {
  const counts = (character: string, ...lengths: readonly number[]) => lengths.map((length) => countSmsSegments(character.repeat(length)))
  assert.deepEqual(counts('a', 0, 1, 160, 161, 306, 307), [1, 1, 1, 2, 2, 3])
  assert.deepEqual(counts('я', 1, 70, 71, 134, 135), [1, 1, 2, 2, 3])
})

test('a character of the extension table takes two places and is not divided between segments', () => {
  assert.equal(countSmsSegments('€'.repeat(80)), 1)
  assert.equal(countSmsSegments('€'.repeat(81)), 2)
  const { parts } = splitSmsText(`${'a'.repeat(152)}€${'a'.repeat(20)}`)
  assert.deepEqual(
    parts.map((part) => part.length),
    [152, 21],
  )
})

test('a surrogate pair is not divided between segments', () => {
  const { encoding, parts } = splitSmsText(`${'я'.repeat(66)}😀${'я'.repeat(10)}`)
  assert.equal(encoding, 'ucs2')
  assert.deepEqual(parts, ['я'.repeat(66), `😀${'я'.repeat(10)}`])
})

test('the codes are those of 3GPP TS 23.038', () => {
  const codes: readonly [string, readonly number[]][] = [
    ['@', [0x00]],
    ['Δ', [0x10]],
    [' ', [0x20]],
    ['¤', [0x24]],
    ['A', [0x41]],
    ['Z', [0x5a]],
    ['Ä', [0x5b]],
    ['§', [0x5f]],
    ['¿', [0x60]],
    ['a', [0x61]],
    ['à', [0x7f]],
    ['É', [0x1f]],
    ['€', [0x1b, 0x65]],
    ['[', [0x1b, 0x3c]],
  ]
  for (const [character, expected] of codes) assert.deepEqual([...encodeGsmText(character)], expected, character)
})

test('the escape code, a back quote and Cyrillic are not in the default alphabet', () => {
  for (const text of ['\0', '\x1b', '`', 'я', 'o‘']) assert.equal(isGsmText(text), false, JSON.stringify(text))
  assert.throws(() => encodeGsmText('`'))
})
