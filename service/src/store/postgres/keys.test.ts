import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keysSuite, makeKey } from '../keys.suite.ts'
import { openPostgresKeyStore } from './keys.ts'
import { openPostgresStore } from './postgres.ts'
import { withDatabase } from './with-store.fixture.ts'

describe('the PostgreSQL store of keys', () => {
  keysSuite((run) => withDatabase(({ url }) => run(() => openPostgresKeyStore({ url, allowUnsafe: true }))))

  test(
    'keys lie in a schema of their own, so that a dump of the data does not hold them',
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
})
