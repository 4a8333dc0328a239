// time limit: 300 s
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { cardOf, idempotencyKeySuite, onTestApp, spellings } from './idempotency.suite.ts'
import { interruptedCallSuite } from './interrupted.suite.ts'
import { moneyKeySuite } from './money.suite.ts'

describe('idempotency keys on the embedded store', () => {
  idempotencyKeySuite((use) => withSqlite(use))
  moneyKeySuite((use) => withSqlite(use))
  interruptedCallSuite((use) => withSqlite(use))
})

if ((process.env['TESSERA_TEST_POSTGRES_URL'] ?? '') !== '') {
  describe('idempotency keys on PostgreSQL', () => {
    idempotencyKeySuite((use) => withPostgres(use))
    moneyKeySuite((use) => withPostgres(use))
    interruptedCallSuite((use) => withPostgres(use))
  })
}

test(
  'no file of the database has a token or card number of a call with a key',
  withSqlite(async (opened) =>
    onTestApp(
      (use) => () => use(opened),
      async ({ client, store }) => {
        const number = '8600069195406311'
        const { token } = (await client.result('cards.create', cardOf(number), { key: 'k1' })).card
        await client.result('cards.get_verify_code', { token }, { key: 'k2' })
        await client.result('cards.verify', { token, code: '666666' }, { key: 'k3' })
        await store.ping()
        const files = readdirSync(opened.folder).map((name) => readFileSync(join(opened.folder, name)))
        for (const secret of [token.slice(25), number]) {
          for (const spelling of spellings(secret)) assert.ok(!files.some((file) => file.includes(spelling)), secret)
        }
        // The control: what may be there, is found.
        assert.ok(files.some((file) => file.includes(token.slice(0, 24))))
      },
    )(),
  ),
)
