import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { newReceipt } from '../testing/receipts.fixture.ts'

const app = await createTestApp({ after })
const hour = 3_600_000

test('a bare array, newest first, of whole days in UTC+5, both inclusive', async () => {
  const merchant = app.merchant()
  // The app begins at 14:00 in UTC+5.
  const first = await newReceipt(merchant)
  app.clock.advance(10 * hour - 1)
  const last = await newReceipt(merchant)
  app.clock.advance(1)
  const next = await newReceipt(merchant)
  const noon = Date.UTC(2026, 10, 21, 7)
  const ask = async (from: number, to: number) => (await merchant.call('receipts.get_all', { count: 50, from, to })).map(({ _id }) => _id)
  assert.deepEqual(await ask(noon, noon), [last, first])
  assert.deepEqual(await ask(noon, noon + 24 * hour), [next, last, first])
  assert.deepEqual(await ask(noon + 24 * hour, noon + 24 * hour), [next])
  assert.deepEqual(await ask(noon + 24 * hour, noon), [])
  assert.deepEqual(await ask(noon - 24 * hour, noon - 24 * hour), [])
  assert.deepEqual(await app.merchant().call('receipts.get_all', { count: 50, from: 0, to: 8_640_000_000_000_000 }), [])
})

test('paging by count and offset returns every receipt once, also with equal timestamps', async () => {
  const merchant = app.merchant()
  const ids = await Promise.all(Array.from({ length: 23 }, () => newReceipt(merchant)))
  const now = app.clock.now()
  const met: string[] = []
  for (const offset of [0, 10, 20, 30]) {
    const page = await merchant.call('receipts.get_all', { count: 10, from: now, to: now, offset })
    met.push(...page.map(({ _id }) => _id))
  }
  assert.deepEqual(met, ids.sort().reverse())
})
