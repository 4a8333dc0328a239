import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keysSuite, makeKey } from '../keys.suite.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { openPostgresKeyStore } from './keys.ts'
import { openPostgresStore } from './postgres.ts'
import { openPostgresProxy } from './proxy.fixture.ts'
import type { TestDatabase } from './with-store.fixture.ts'
import { withPostgresDatabase } from './with-store.fixture.ts'

describe('the PostgreSQL store of keys', () => {
  keysSuite((run) => withPostgresDatabase(({ url }) => run(() => openPostgresKeyStore({ url, allowUnsafe: true }))))

  test(
    'keys are in a schema of their own, so that a dump of the data does not contain them',
    withPostgresDatabase(async ({ url, raw }) => {
      const keys = await openPostgresKeyStore({ url, allowUnsafe: true })
      const store = await openPostgresStore({ url, allowUnsafe: true })
      await keys.insert(makeKey('a'))
      const tables = await raw(`select table_schema, table_name from information_schema.tables where table_name = 'keys'`)
      assert.deepEqual(
        tables.map((row) => ({ ...row })),
        [{ table_schema: 'tessera_keys', table_name: 'keys' }],
      )
      await store.close(1000)
      await keys.close()
    }),
  )

  test(
    'two queries on a lost connection open one connection, and after the close none is left',
    withPostgresDatabase(async (database) => {
      const proxy = await openPostgresProxy(database.url)
      const keys = await openPostgresKeyStore({ url: proxy.url, allowUnsafe: true })
      let queryCount = 0
      proxy.behave(() => (queryCount++ === 0 ? 'cutBefore' : 'pass'))
      await assert.rejects(keys.list(), StoreOutcomeUnknown)
      assert.deepEqual(await Promise.all([keys.list(), keys.list(), keys.list()]), [[], [], []])
      assert.equal(await countSessions(database, 1), 1)
      await keys.close()
      await assert.rejects(keys.list(), StoreUnavailable)
      assert.equal(await countSessions(database, 0), 0)
      await proxy.close()
    }),
  )

  test(
    'a key store that is closed while it connects leaves no connection',
    withPostgresDatabase(async (database) => {
      const proxy = await openPostgresProxy(database.url)
      const keys = await openPostgresKeyStore({ url: proxy.url, allowUnsafe: true })
      let queryCount = 0
      proxy.behave(() => (queryCount++ === 0 ? 'cutBefore' : 'pass'))
      await assert.rejects(keys.list(), StoreOutcomeUnknown)
      const pendingList = assert.rejects(keys.list(), StoreUnavailable)
      await keys.close()
      await pendingList
      assert.equal(await countSessions(database, 0), 0)
      await proxy.close()
    }),
  )

  test(
    'opening a key store whose migration fails leaves no connection',
    withPostgresDatabase(async (database) => {
      await (await openPostgresKeyStore({ url: database.url, allowUnsafe: true })).close()
      await database.raw(`update tessera_keys.migrations set checksum = 'another' where number = 1`)
      await assert.rejects(openPostgresKeyStore({ url: database.url, allowUnsafe: true }))
      assert.equal(await countSessions(database, 0), 0)
    }),
  )
})

/** The number of our connections at the database; polls until at most `expected` are left. */
async function countSessions({ raw }: TestDatabase, expected: number): Promise<number> {
  const query = `select count(*)::int as open from pg_stat_activity where datname = current_database() and application_name = 'tessera'`
  let open = 0
  for (let poll = 0; poll < 50; poll++) {
    open = Number((await raw(query))[0]?.['open'])
    if (open <= expected) break
  }
  return open
}
