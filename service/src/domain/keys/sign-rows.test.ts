import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { makeKeyStore, countUnsigned, insertUnsignedEvents, rowSigningPagesSuite, startProcess } from './sign-rows-pages.suite.ts'
import { rowSigningSuite } from './sign-rows.suite.ts'
import { signRowsOnce } from './sign-rows.ts'

describe('rows from before migration 20 in the embedded store', () => rowSigningSuite(withSqlite, 'sqlite'))
describe('rows from before migration 20 in PostgreSQL', () => rowSigningSuite(withPostgres, 'postgres'))
describe('pages of rows without a MAC in the embedded store', () => rowSigningPagesSuite(withSqlite, "x''"))
describe('pages of rows without a MAC in PostgreSQL', () => rowSigningPagesSuite(withPostgres, "''"))

test(
  'processes that start at once on PostgreSQL sign one after the other',
  withPostgres(async (opened) => {
    const { store } = opened
    const keys = makeKeyStore()
    await insertUnsignedEvents(opened, "''", 500)
    const held = await store.tryLock('sign-rows')
    assert.ok(held !== null)
    assert.equal(await store.tryLock('sign-rows'), null)
    const [first, second] = [await startProcess(keys), await startProcess(keys)]
    const signed = Promise.all([first, second].map((start) => signRowsOnce({ ...start, store })))
    await Promise.all([first, second].map(({ clock }) => clock.untilSleeping(1000)))
    assert.equal(await countUnsigned(opened), 500, 'nothing is signed without the lock')
    assert.deepEqual([first.events, second.events], [['rows_signing_awaited'], ['rows_signing_awaited']])
    await held.check()
    await held.release()
    const tick = setInterval(() => [first, second].forEach(({ clock }) => clock.advance(1000)), 20)
    assert.deepEqual((await signed).sort(), [500, null])
    clearInterval(tick)
    const entries = await opened.raw("select 1 as one from audit where action = 'rows.signed'")
    assert.equal(entries.length, 1)
  }),
)

test(
  'an old process that still runs on PostgreSQL cannot insert a row without a MAC',
  withPostgres(async ({ raw }) => {
    const lock = "insert into card_locks (bucket, card_id, merchant_id, receipt_id) values (0, 'c', 'm', 'r') returning 1 as one"
    await assert.rejects(raw(lock), /null value in column "mac"/)
    const columns = "select table_name from information_schema.columns where table_schema = current_schema() and column_name = 'mac'"
    const withDefault = await raw(`${columns} and column_default is not null`)
    assert.deepEqual(withDefault, [])
  }),
)
