import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { makeAuditEntry, makeCard } from '../suite/samples.fixture.ts'
import { insertCard } from '../cards.ts'
import { createCitusDouble, listRecordedDistributions } from './citus-double.fixture.ts'
import { distributeCreated, distributeTables, DistributionRefused, planDistribution } from './distribute.ts'
import { openPostgresSession, type Session } from './session.ts'
import { listPlacedTables, tablePlacements } from './table-placement.ts'
import { withPostgres, type TestDatabase } from './with-store.fixture.ts'

const schema = readFileSync(new URL('../schema/postgres.sql', import.meta.url), 'utf8')
const tables = [...schema.matchAll(/create table (\w+) \(([\s\S]*?)\n\)/g)].map(([, name = '', body = '']) => ({ name, body }))

test('every table of the schema has its place on Citus, and no other has one', () => {
  assert.deepEqual(Object.keys(tablePlacements).sort(), tables.map(({ name }) => name).sort())
})

test('the column by which a table is distributed is in its primary key and in each of its unique indexes, so that one shard can tell', () => {
  const across: string[] = []
  for (const column of ['bucket', 'chain'] as const) {
    for (const name of listPlacedTables(column)) {
      const body = tables.find((table) => table.name === name)?.body ?? ''
      const [, key = ''] = /primary key \(([^)]*)\)/.exec(body) ?? []
      if (!key.split(', ').includes(column)) across.push(name)
      for (const [, index = '', columns = ''] of schema.matchAll(new RegExp(`create unique index (\\w+) on ${name} \\(([^)]*)\\)`, 'g')))
        if (!columns.split(', ').includes(column)) across.push(index)
    }
  }
  assert.deepEqual(across, [])
})

test(
  'without the extension citus, or with one that is too old, nothing is distributed and the message says why',
  withPostgres(async (database) => {
    await withSession(database, async (session) => {
      await assert.rejects(planDistribution(session), (err) => err instanceof DistributionRefused && /no extension citus/.test(err.message))
      await createCitusDouble(database, '12.1.5')
      await assert.rejects(distributeTables(session), (err) => err instanceof DistributionRefused && /too old: 12\.1/.test(err.message))
      assert.deepEqual(await listRecordedDistributions(database), [])
    })
  }),
)

test(
  'on a double of Citus every table is distributed once, beside the first of its column, and a repetition finds nothing to do',
  withPostgres(async (database) => {
    await createCitusDouble(database)
    await withSession(database, async (session) => {
      assert.equal((await planDistribution(session)).isDistributed, false)
      const expected = [
        ...listPlacedTables('bucket').map((named) => ({ named, column: 'bucket', beside: named === 'cards' ? 'none' : 'cards' })),
        { named: 'audit', column: 'chain', beside: 'none' },
      ].map((each) => ({ called: 'create_distributed_table', ...each }))
      assert.equal(await distributeTables(session), expected.length)
      assert.deepEqual(await listRecordedDistributions(database), expected)
      assert.deepEqual(await planDistribution(session), { citusVersion: '13.2', isDistributed: true, pending: [] })
      assert.equal(await distributeTables(session), 0)
      assert.deepEqual(await listRecordedDistributions(database), expected)
    })
  }),
)

test(
  'on a double of Citus an interrupted run is continued, and the rows that were copied to the nodes are deleted on the coordinator',
  withPostgres(async (database) => {
    const card = makeCard(1)
    await database.store.write(insertCard, { card, audit: makeAuditEntry(card) })
    await createCitusDouble(database)
    await database.raw("select create_distributed_table('cards', 'bucket', colocate_with => 'none')")
    await withSession(database, async (session) => {
      await distributeTables(session)
      const calls = await listRecordedDistributions(database)
      assert.equal(calls.filter(({ called, named }) => called === 'create_distributed_table' && named === 'cards').length, 1)
      const emptied = calls.filter(({ called }) => called.startsWith('truncate')).map(({ named }) => named)
      assert.deepEqual([...new Set(emptied)].sort(), ['audit', 'cards'])
    })
  }),
)

test(
  'on a double of Citus a table that is distributed by another column is refused',
  withPostgres(async (database) => {
    await createCitusDouble(database)
    await database.raw("select create_distributed_table('receipts', 'merchant_id', colocate_with => 'none')")
    await withSession(database, async (session) => {
      await assert.rejects(planDistribution(session), /receipts is distributed by merchant_id, and has to be distributed by bucket/)
    })
    await database.raw("update pg_dist_partition set partmethod = 'n'")
    await withSession(database, async (session) => {
      await assert.rejects(planDistribution(session), /receipts is distributed by no column/)
    })
  }),
)

test(
  'on a double of Citus a migration distributes what it creates when the schema is distributed, and leaves it alone otherwise',
  withPostgres(async (database) => {
    const last = 'page_watches'
    const text = `create table ${last} (\n  bucket integer);\ncreate table keks (\n  kek_id text);`
    await createCitusDouble(database)
    await withSession(database, async (session) => {
      await distributeCreated(session, text)
      assert.deepEqual(await listRecordedDistributions(database), [])
      await distributeTables(session)
    })
    await database.raw(`delete from pg_dist_partition where logicalrelid = '${last}'::regclass; delete from distribution_calls`)
    await database.raw(`drop table ${last}, merchant_packs; delete from migrations where number >= 43`)
    await database.reopen()
    assert.deepEqual((await listRecordedDistributions(database)).map(({ named, column, beside }) => [named, column, beside]).sort(), [
      ['merchant_packs', 'bucket', 'cards'],
      ['page_watches', 'bucket', 'cards'],
    ])
  }),
)

async function withSession({ url }: Pick<TestDatabase, 'url'>, use: (session: Session) => Promise<void>): Promise<void> {
  const session = await openPostgresSession(url, () => undefined)
  try {
    await use(session)
  } finally {
    await session.end()
  }
}
