import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  formatDuration,
  formatMs,
  formatPhoneNumber,
  formatShort,
  formatSom,
  formatSomInput,
  groupCardNumber,
  parseSomInput,
  percentOf,
} from './numbers.ts'

test("tiyin are shown as so'm in groups of three digits, with a fraction only where there is one", () => {
  const shown = [0, 5, 100, 123_456, 100_000_000, -70_050, 99_999_999_999].map((tiyin) => formatSom(tiyin, 'en').replaceAll('\u202f', ' '))
  assert.deepEqual(shown, ['0', '0.05', '1', '1 234.56', '1 000 000', '−700.50', '999 999 999.99'])
})

test('a typed amount is read digit by digit: no fraction is ever rounded', () => {
  const amounts = {
    '1500': 150_000,
    '1500.5': 150_050,
    '1500,50': 150_050,
    '1 500.05': 150_005,
    '0.07': 7,
    '9999999999999.99': 999_999_999_999_999,
  }
  for (const [text, tiyin] of Object.entries(amounts)) assert.equal(parseSomInput(text), tiyin, text)
  for (const text of ['', 'ten', '1.505', '-1', '1e3', '.5', '1.', '10000000000000']) assert.equal(parseSomInput(text), null, text)
})

test('what an amount input is filled with is read again as the same amount', () => {
  for (const tiyin of [1, 10, 99, 100, 101, 150_050, 123_456_789]) assert.equal(parseSomInput(formatSomInput(tiyin)), tiyin)
})

test('a duration is shown in its two largest units', () => {
  const units = { days: 'd', hours: 'h', minutes: 'min', seconds: 's' }
  const durations = [0, 400, 1500, 181_000, 3_600_000, 25 * 3_600_000, 8 * 86_400_000, 2 * 86_400_000 + 180_000].map((ms) =>
    formatDuration(ms, units),
  )
  assert.deepEqual(durations, ['0 s', '0 s', '2 s', '3 min 1 s', '1 h', '1 d 1 h', '8 d', '2 d 3 min'])
})

test('milliseconds, percents and card numbers are whole numbers as they are read', () => {
  assert.equal(formatMs(11.6, 'ms'), '12 ms')
  assert.deepEqual([percentOf(1, 3), percentOf(0, 7), percentOf(7, 7)], [33, 0, 100])
  assert.equal(groupCardNumber('8600069195406311'), '8600 0691 9540 6311')
  assert.equal(groupCardNumber('378282246310005'), '3782 8224 6310 005')
})

test('a number on an axis has few digits', () => {
  const units = ['K', 'M', 'B']
  assert.deepEqual(
    [0, 950, 9999, 10_000, 250_000, 1_500_000, 2_000_000_000, 30_000_000_000_000].map((value) => formatShort(value, units, 'en')),
    ['0', '950', '9999', '10K', '250K', '1.5M', '2B', '30000B'],
  )
})

test('Russian and Uzbek have a decimal comma, which a typed amount may have too', () => {
  for (const language of ['ru', 'uz'] as const) {
    assert.equal(formatSom(123_456, language).replace('\u202f', ' '), '1 234,56')
    assert.equal(formatShort(1_500_000, ['K', 'M', 'B'], language), '1,5M')
    assert.equal(parseSomInput(formatSom(123_456, language)), 123_456)
  }
})

test('a phone is written in groups, and one of another country as it is', () => {
  assert.deepEqual(['998901234567', '79161234567'].map(formatPhoneNumber), ['+998 90 123 45 67', '+79161234567'])
})
