import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { withPostgres } from './postgres/with-store.fixture.ts'
import { countStored, listStoredKinds, tableOfKind } from './retention.ts'
import { withSqlite } from './sqlite/with-store.fixture.ts'
import type { WithStore } from './suite/opened.fixture.ts'

countsSuite('the embedded store', withSqlite)
countsSuite('PostgreSQL', withPostgres)

function countsSuite(name: string, withStore: WithStore): void {
  test(
    `each kind is counted on ${name}, in an empty database and with counters of an hour`,
    withStore(async ({ store, raw }) => {
      const hour = 500_000
      await raw(
        `insert into tallies (bucket, merchant_id, hour, name, count) values (1, 'm', ${String(hour)}, 'n', 1), (1, 'm', 0, 'n', 1)`,
      )
      for (const kind of listStoredKinds(store.kind)) {
        const { rows, overdue } = await store.scan(countStored(kind, 0))
        assert.ok(rows >= 0 && overdue === 0, kind)
      }
      const counted = { rows: 1, oldestAt: hour * 3_600_000, overdue: 1 }
      assert.deepEqual(await store.scan(countStored('tallies', hour * 3_600_000 + 1)), counted)
    }),
  )
}

for (const database of ['sqlite', 'postgres'] as const)
  test(`every table of the schema on ${database} is in the report of retention: a new one needs an entry and a rule`, () => {
    // What a test compares with the database itself.
    const schema = readFileSync(new URL(`./schema/${database}.sql`, import.meta.url), 'utf8')
    const tables = new Set([...schema.matchAll(/^create table (\w+)/gm)].map(([, name]) => name))
    assert.ok(tables.size > 40)
    assert.deepEqual([...new Set(listStoredKinds(database).map(tableOfKind))].sort(), [...tables].sort())
  })

test('control: a table without an entry would be missing', () => {
  assert.ok(!listStoredKinds('postgres').map(tableOfKind).includes('a_new_table'))
  assert.ok(listStoredKinds('postgres').map(tableOfKind).includes('request_segments'))
  assert.ok(!listStoredKinds('sqlite').map(tableOfKind).includes('request_segments'))
})
