import assert from 'node:assert/strict'
import { test } from 'node:test'

import { possibleBrands } from './deferred/brands.ts'
import { formatNumber, isPan, readDigits } from './digits.ts'

test('digits of every script are recognized, and no other characters', () => {
  assert.equal(readDigits('8600-0691 ٩٥٤٠۶۳۱۱ ７x'), '8600069195406311' + '7')
})

test('a number is formatted in groups of four and the caret stays behind the same digit', () => {
  assert.deepEqual(formatNumber({ text: '86000', caret: 5 }), { text: '8600 0', caret: 6 })
  assert.deepEqual(formatNumber({ text: '8600 90691 9540', caret: 6 }), { text: '8600 9069 1954 0', caret: 6 })
  assert.deepEqual(formatNumber({ text: '', caret: 0 }), { text: '', caret: 0 })
  assert.deepEqual(formatNumber({ text: 'card: 8600-0691', caret: 15 }), { text: '8600 0691', caret: 9 })
})

test('a card number has 12 to 19 digits and a valid check digit', () => {
  assert.ok(isPan('8600069195406311'))
  assert.ok(!isPan('8600069195406312'))
  assert.ok(!isPan('00000000000'))
})

test('a brand is recognized by its known prefixes, and the brands shown are those that the number can still have', () => {
  const all = ['uzcard', 'humo', 'visa', 'mastercard', 'unionpay', 'mir']
  const cases: Record<string, readonly string[]> = {
    '': all,
    8: ['uzcard'],
    5: ['uzcard', 'mastercard'],
    2: ['mastercard', 'mir'],
    86006: ['uzcard'],
    5614: ['uzcard'],
    9860: ['humo'],
    2200: ['mir'],
    4: ['visa'],
    51: ['mastercard'],
    2221: ['mastercard'],
    272: ['mastercard'],
    62: ['unionpay'],
    3333: [],
    2205: [],
    2721: [],
    565: [],
  }
  for (const [digits, brands] of Object.entries(cases)) assert.deepEqual(possibleBrands(digits), brands, digits)
})
