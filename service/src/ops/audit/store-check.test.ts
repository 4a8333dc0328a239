import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'

import { openPostgresStore } from '../../store/postgres/postgres.ts'
import { withPostgres, withPostgresDatabase } from '../../store/postgres/with-store.fixture.ts'
import { namedKeyColumns, tablesWithMacs } from '../../store/named-keys.ts'
import { withFolder, withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import { checkIntegrity } from '../../store/integrity.ts'
import { readDatabaseFile } from '../../store/sqlite/integrity.ts'
import { noWalk, type WalkProgress } from '../../store/walk.ts'
import type { StoreUnderTest } from '../../store/suite/opened.fixture.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'

import type { StoreReport } from './check.ts'
import { makeRunStoreCheck } from './run-check.ts'

interface Used {
  readonly app: TestApp
  readonly tokens: readonly string[]
  readonly raw: StoreUnderTest['raw']
}

/** An application that was used a little, on both stores. */
function onBothStores(fact: string, run: (used: Used) => Promise<void>): void {
  const use = async ({ store, raw }: StoreUnderTest): Promise<void> => {
    const open: (() => Promise<void>)[] = []
    const app = await createTestApp({ after: (close) => void open.push(close) }, { store })
    try {
      const made = await app.merchants.administration.create({ name: 'A shop', settings: {} }, operatorActor)
      const caller = app.merchant('spec', made instanceof SettingProblem ? assert.fail(made.code) : made.merchant.row.id)
      const tokens = [await caller.createToken('8600069195406311'), await caller.createToken('8600069195406311')]
      await caller.call('cards.get_verify_code', { token: tokens[0] ?? '' })
      await run({ app, tokens, raw })
    } finally {
      for (const close of open) await close()
    }
  }
  test(`${fact}, with the embedded store`, withSqlite(use))
  test(`${fact}, with PostgreSQL`, withPostgres(use))
}

async function check({ storeCheck }: TestApp): Promise<StoreReport> {
  return (await storeCheck.run('all')) ?? assert.fail('a check is running')
}

const cardIdOf = (token: string | undefined): string => token?.slice(0, 24) ?? ''

onBothStores('a store in use has no findings, and every part of it was looked at', async ({ app }) => {
  const report = await check(app)
  assert.deepEqual(report.findings, [])
  assert.ok(report.integrity.checked > 30 && report.keys > 3 && report.entries > 3 && report.relations > 10)
  assert.equal(report.rows.card, 2)
})

onBothStores('a key that rows name and the key store does not have is found', async ({ app, raw, tokens }) => {
  await raw(`update cards set key_id = '${'ab'.repeat(16)}' where card_id = '${cardIdOf(tokens[0])}'`)
  const { findings } = await check(app)
  assert.deepEqual(
    findings.filter(({ kind }) => kind === 'key').map((finding) => finding.kind !== 'chain' && [finding.table, finding.id]),
    [['cards', 'ab'.repeat(16)]],
  )
})

onBothStores('rows whose parent was deleted are found', async ({ app, raw, tokens }) => {
  await raw(`delete from cards where card_id = '${cardIdOf(tokens[0])}'`)
  const { findings } = await check(app)
  assert.deepEqual(
    findings.map((finding) => finding.kind !== 'chain' && [finding.kind, finding.table, finding.id]),
    [['orphan', 'verifications', cardIdOf(tokens[0])]],
  )
})

onBothStores('one check runs at a time, it shows how far it is, and it ends when it is cancelled', async ({ app }) => {
  const seen: WalkProgress[] = []
  const running = app.storeCheck.run('all', { onProgress: (progress) => void seen.push(progress) })
  assert.equal(app.storeCheck.run('audit'), null)
  await running
  assert.ok(seen.some(({ stage, total }) => stage === 'audit entries' && (total ?? 0) > 3))
  const cancelled = app.storeCheck.run('all', { signal: AbortSignal.abort(new Error('gone')) })
  await assert.rejects(cancelled ?? Promise.resolve(), /gone/)
  assert.deepEqual((await check(app)).findings, [])
})

test('an index that lacks a row of its table, so that a query does not find the row, is found', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'a.db')
    const db = new DatabaseSync(path)
    db.exec(`create table t (id text primary key, n integer) strict; insert into t values ('needle', 1), ('other', 2)`)
    db.close()
    const bytes = readFileSync(path)
    // The index is written after the table, so its copy of the key is the last or the first one.
    const [first, second] = [bytes.indexOf('needle'), bytes.lastIndexOf('needle')]
    assert.notEqual(first, second)
    bytes.write('noodle', Math.max(first, second))
    writeFileSync(path, bytes)
    const read = (): Promise<never> => assert.fail('the file is read by a process of its own')
    const { faults } = await checkIntegrity({ file: path, read }, noWalk)
    assert.ok(faults.length > 0)
  })
})

test('a damaged file of the request log is a finding of its own, which does not count as damage of the database', async (t) => {
  const app = await createTestApp(t)
  writeFileSync(app.requestLog.file ?? assert.fail(), 'not a database'.repeat(1000))
  const { findings } = (await app.storeCheck.run('all')) ?? assert.fail('a check is running')
  assert.deepEqual(
    findings.map((finding) => finding.kind),
    ['request_log'],
  )
})

test('every column that names a key, and every table with a MAC, is compared with the key store', () => {
  const schema = readFileSync(new URL('../../store/schema/sqlite.sql', import.meta.url), 'utf8')
  const found = schema.split(/create table /).flatMap((text) => {
    const table = text.slice(0, text.indexOf(' '))
    return [...text.slice(0, text.indexOf(') strict')).matchAll(/\b((?!pass)\w*key_id) text/g)].map(
      ([, column]) => `${table}.${String(column)}`,
    )
  })
  assert.deepEqual(namedKeyColumns.map(({ table, column }) => `${table}.${column}`).sort(), [...new Set(found)].sort())
  assert.ok(tablesWithMacs.length > 10)
})

test(
  'with the extension amcheck, an index that lacks a row of its table is found, and nothing in a store in use',
  withPostgresDatabase(async ({ url, raw }) => {
    await raw('create extension amcheck')
    const store = await openPostgresStore({ url, node: 'test', allowUnsafe: true })
    try {
      const check = () => checkIntegrity({ file: null, read: (query) => store.scan(query) }, noWalk)
      const { method, checked, faults } = await check()
      assert.deepEqual([method, checked > 60, faults], ['amcheck', true, []])
      // The index does not get the row while it is not ready, as after a lost page.
      await raw(`create table t (id integer primary key); insert into t values (1)`)
      await raw(`update pg_index set indisready = false where indexrelid = 't_pkey'::regclass`)
      await raw('insert into t values (2)')
      await raw(`update pg_index set indisready = true where indexrelid = 't_pkey'::regclass`)
      const found = (await check()).faults
      assert.deepEqual([found.length, found[0]?.table], [1, 't_pkey'])
      assert.match(found[0]?.what ?? '', /lacks matching index tuple/)
    } finally {
      await store.close(5000)
    }
  }),
)

/** A database whose integrity check takes minutes: it evaluates the constraint for each row, which takes some tenths of a second. */
function makeSlowDatabase(folder: string): string {
  const path = join(folder, 'a.db')
  const db = new DatabaseSync(path)
  db.exec('pragma ignore_check_constraints = on')
  db.exec('create table t (n integer check (length(hex(zeroblob(100000000))) > n)) strict')
  db.exec('with recursive n (n) as (select 1 union all select n + 1 from n where n < 1000) insert into t select n from n')
  db.close()
  return path
}

test('the integrity check of a file ends when it is cancelled', async () => {
  await withFolder(async (folder) => {
    const cancelled = new AbortController()
    const reading = readDatabaseFile(makeSlowDatabase(folder), { signal: cancelled.signal })
    cancelled.abort(new Error('gone'))
    await assert.rejects(reading, /gone/)
  })
})

onBothStores('a stop does not wait for a check in progress', async ({ app }) => {
  await withFolder(async (folder) => {
    const stopping = new AbortController()
    const storeCheck = makeRunStoreCheck({
      store: { kind: 'sqlite', file: makeSlowDatabase(folder), read: () => assert.fail('the files are checked first') },
      requestLogFile: null,
      openKeyStore: () => assert.fail('the database is checked first'),
      keyring: app.keyring,
      environment: 'test',
      knownHeads: () => Promise.resolve([]),
      onChecked: () => undefined,
      now: () => performance.now(),
      stopping: stopping.signal,
    })
    const running = storeCheck.run('all', { onProgress: () => stopping.abort() })
    await assert.rejects(running ?? Promise.resolve(), { name: 'RpcError' })
  })
})
