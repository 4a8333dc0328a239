import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toExportConditions } from './export-conditions.ts'

test('words, days, amounts and ids of a filter are recorded, and nothing that a person typed', () => {
  const filter = { status: 'failed', from: '2026-11-01', amountFrom: '10.50', code: -31103, method: 'cards.create', card: 'a'.repeat(24) }
  assert.deepEqual(
    toExportConditions(filter).map(({ value }) => value),
    Object.values(filter).map(String),
  )
  const typed = { order: 'a-7', customer: 'anvar', search: 'Anvar <b>', failed: true, to: '', state: undefined, live: false }
  assert.deepEqual(toExportConditions(typed, ['order', 'customer']), [
    { name: 'order', value: '' },
    { name: 'customer', value: '' },
    { name: 'search', value: '' },
    { name: 'failed', value: 'true' },
  ])
})
