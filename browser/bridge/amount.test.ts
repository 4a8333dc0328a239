import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formatAmount } from './amount.ts'

test('an amount is written as its language does, to the tiyin', () => {
  const plain = (tiyin: number, language: 'uz' | 'ru' | 'en') => formatAmount(tiyin, language).replaceAll('\u00a0', ' ')
  assert.equal(plain(12_500_000, 'uz'), '125 000 soʻm')
  assert.equal(plain(12_500_050, 'ru'), '125 000,50 сум')
  assert.equal(plain(12_500_005, 'en'), '125,000.05 soʻm')
  assert.equal(plain(1, 'en'), '0.01 soʻm')
  assert.equal(plain(99_900, 'uz'), '999 soʻm')
  assert.equal(plain(10_000_000_000_000, 'ru'), '100 000 000 000 сум')
})
