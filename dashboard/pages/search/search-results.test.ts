import assert from 'node:assert/strict'
import { test } from 'node:test'

import { groupHits, isSentWhileTyped, noHits, pagesNamed, targetOf } from './search-results.ts'

test('the beginning of a card number is not sent while it is typed, and everything else is', () => {
  for (const text of ['8600495', '8600 4954', '8600-4954-7331', '4111.1111.1111.111', '12345678', '８６００４９５'])
    assert.equal(isSentWhileTyped(text), false, text)
  for (const text of ['', '6311', '860049', '54 174', '+998 90 123 45 67', '998901234567', 'O-8600495', '6b02a1f3', "1 000 000 so'm"])
    assert.equal(isSentWhileTyped(text), true, text)
})

test('kinds without a result have no heading, and an order number or a customer stays out of the address', () => {
  assert.deepEqual(groupHits(noHits, []), [])
  const groups = groupHits({ ...noHits, customers: ['payer@example.uz'] }, [{ name: 'cards', label: 'Cards' }])
  assert.deepEqual(
    groups.map(({ kind }) => kind),
    ['customer', 'page'],
  )
  const { path, hidden } = targetOf({ kind: 'customer', customer: 'payer@example.uz' })
  assert.ok(!path.includes('payer'))
  assert.deepEqual(hidden, { customer: 'payer@example.uz' })
})

test('a page is found by the beginning of each of its words', () => {
  const pages = [
    { name: 'page-check', label: 'Page check' },
    { name: 'cards', label: 'Cards' },
  ]
  for (const [text, found] of [
    ['che', ['page-check']],
    ['PAGE C', ['page-check']],
    ['car', ['cards']],
    ['ards', []],
    ['', []],
  ] as const)
    assert.deepEqual(
      pagesNamed(pages, text).map(({ name }) => name),
      found,
    )
})
