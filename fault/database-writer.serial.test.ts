// time limit: 120 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { writerCases } from './database-writer-cases.ts'
import { runCases, runUnchecked } from './database-writer.ts'
import type { Trial } from './experiment.ts'
import { createServiceDataFactory } from './service-data.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

const trial: Trial = { store: 'sqlite', seed: 1, cycles: 1, dataFactory, say: () => undefined }

/** Those that run no command and wait for nothing. `npm run fault -- database-writer` makes all of them, on both stores. */
const fastTables = new Set([
  'audit',
  'cards',
  'dashboard_sessions',
  'disclosures',
  'form_sessions',
  'idempotency',
  'page_scripts',
  'receipts',
])
const fastCases = writerCases.filter(({ table, what }) => fastTables.has(table) && what !== "another merchant's owner as its user")

test('rows that somebody writes behind the running service are refused with an alarm, or found later as said', async () => {
  const { complaints, results } = await runCases(trial, fastCases)
  assert.deepEqual(complaints, [])
  assert.ok(results.filter(({ outcome }) => outcome === 'refused').length > 8)
})

for (const [check, least] of [
  ['mac', 6],
  ['version', 2],
] as const) {
  test(`a service that does not compare the ${check} of a row accepts those rows`, async () => {
    const cases = fastCases.filter(({ table }) => table === 'cards' || table === 'receipts')
    const results = await runUnchecked(trial, check, cases)
    assert.ok(results.length >= least && results.every(({ outcome }) => outcome === 'accepted'), JSON.stringify(results))
  })
}
