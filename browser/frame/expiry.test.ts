import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formatExpiryInput, isExpiryPast, parseExpiryText } from './expiry.ts'

test('an expiry is parsed in every format that people and autofill use', () => {
  for (const text of ['03/99', '3/99', '03 / 2099', '0399', '032099', '2099-03', '209903', '03-99', '٠٣/٩٩', '399']) {
    assert.equal(parseExpiryText(text), '0399', text)
  }
  for (const text of ['', '03', '13/99', '00/99', '03/999', '1/2/99', '03/1999']) assert.equal(parseExpiryText(text), null, text)
})

test('a card is valid through the last day of its month in UTC+5', () => {
  const ends = Date.UTC(2027, 3, 1) - 5 * 3_600_000
  assert.ok(!isExpiryPast('0327', ends - 1))
  assert.ok(isExpiryPast('0327', ends))
})

test('the slash is inserted while typing, with a year of two or four digits', () => {
  const typed = (text: string): string =>
    Array.from(text).reduce((shown, key) => formatExpiryInput({ text: shown + key, caret: shown.length + 1 }, false).text, '')
  assert.deepEqual(['0399', '399', '3/99', '03/99', '032099', '1227', '1/27'].map(typed), [
    '03/99',
    '03/99',
    '03/99',
    '03/99',
    '03/2099',
    '12/27',
    '01/27',
  ])
  assert.equal(formatExpiryInput({ text: '03/', caret: 3 }, true).text, '03/')
})
