import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keysSuite, makeKey } from '../keys.suite.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { openPostgresKeyStore } from './keys.ts'
import { openPostgresStore } from './postgres.ts'
import { openProxy } from './proxy.fixture.ts'
import type { TestDatabase } from './with-store.fixture.ts'
import { withDatabase } from './with-store.fixture.ts'

describe('the PostgreSQL store of keys', () => {
  keysSuite((run) => withDatabase(({ url }) => run(() => openPostgresKeyStore({ url, allowUnsafe: true }))))

  test(
    'keys are in a schema of their own, so that a dump of the data does not contain them',
    withDatabase(async ({ url, raw }) => {
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
    withDatabase(async (database) => {
      const proxy = await openProxy(database.url)
      const keys = await openPostgresKeyStore({ url: proxy.url, allowUnsafe: true })
      let told = 0
      proxy.behave(() => (told++ === 0 ? 'cutBefore' : 'pass'))
      await assert.rejects(keys.list(), StoreOutcomeUnknown)
      assert.deepEqual(await Promise.all([keys.list(), keys.list(), keys.list()]), [[], [], []])
      assert.equal(await sessionsOf(database, 1), 1)
      await keys.close()
      await assert.rejects(keys.list(), StoreUnavailable)
      assert.equal(await sessionsOf(database, 0), 0)
      await proxy.close()
    }),
  )

  test(
    'a key store that is closed while it connects leaves no connection',
    withDatabase(async (database) => {
      const proxy = await openProxy(database.url)
      const keys = await openPostgresKeyStore({ url: proxy.url, allowUnsafe: true })
      let told = 0
      proxy.behave(() => (told++ === 0 ? 'cutBefore' : 'pass'))
      await assert.rejects(keys.list(), StoreOutcomeUnknown)
      const asking = assert.rejects(keys.list(), StoreUnavailable)
      await keys.close()
      await asking
      assert.equal(await sessionsOf(database, 0), 0)
      await proxy.close()
    }),
  )

  test(
    'opening a key store whose migration fails leaves no connection',
    withDatabase(async (database) => {
      await (await openPostgresKeyStore({ url: database.url, allowUnsafe: true })).close()
      await database.raw(`update tessera_keys.migrations set checksum = 'another' where number = 1`)
      await assert.rejects(openPostgresKeyStore({ url: database.url, allowUnsafe: true }))
      assert.equal(await sessionsOf(database, 0), 0)
    }),
  )
})

/** How many connections of ours the database has, once those that are ending are gone; `wanted` when no more are left. */
async function sessionsOf({ raw }: TestDatabase, wanted: number): Promise<number> {
  const ask = `select count(*)::int as open from pg_stat_activity where datname = current_database() and application_name = 'tessera'`
  let open = 0
  for (let look = 0; look < 50; look++) {
    open = Number((await raw(ask))[0]?.['open'])
    if (open <= wanted) break
  }
  return open
}
