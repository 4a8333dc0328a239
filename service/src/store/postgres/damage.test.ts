// time limit: 120 s
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import pg from 'pg'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { checkIntegrity } from '../integrity.ts'
import { sql, makeStatement } from '../statement.ts'
import { type Store, StoreDamaged, StoreFull } from '../store.ts'
import { run, type Transaction } from '../transaction.ts'
import { noWalk } from '../walk.ts'

import { isDamaged, postgresFaultOf } from './fault.ts'
import { inspectPostgres } from './inspect.ts'
import { openPostgresStore } from './postgres.ts'

/** Damage of a table's files, each done to a table of its own while the server is stopped, with the server's error code and source file. */
const damages: readonly {
  readonly what: string
  readonly code: string
  readonly file: string
  readonly damage: (path: string, index: string) => void
}[] = [
  { what: 'page_header', code: 'XX001', file: 'bufmgr.c', damage: (path) => overwrite(path, 8, Buffer.alloc(16, 0xff)) },
  { what: 'missing_file', code: '58P01', file: 'md.c', damage: (path) => rmSync(path) },
  {
    what: 'row_pointer',
    code: 'XX000',
    file: 'md.c',
    damage: (_path, index) => overwrite(index, pageLength + firstItem(index, pageLength), farBlock),
  },
  { what: 'index_page', code: 'XX002', file: 'nbtpage.c', damage: (_path, index) => overwrite(index, 24, Buffer.alloc(16)) },
  { what: 'old_transaction', code: '58P01', file: 'slru.c', damage: makeUnknownTransaction },
]

test('what PostgreSQL says of damaged files is damage of the store: for reads, writes, checks, and at a start', async () => {
  const cluster = await startCluster({ settings: { autovacuum: 'off' } })
  try {
    await (await openPostgresStore({ url: cluster.url })).close(1000)
    await damageTables(cluster)
    const found: StoreDamaged[] = []
    const store = await openPostgresStore({ url: cluster.url, onDamaged: (err) => void found.push(err) })
    for (const { what, code, file } of damages) {
      const err = await store
        .read({ statement: makeStatement(`select * from damaged_${what} where id = 1`), values: [], map: () => null })
        .catch(causeOf)
      assert.deepEqual(err, { isDamaged: true, code, file }, what)
      const written = await store.write(writeTo, { table: `damaged_${what}` }).catch(causeOf)
      assert.deepEqual(written, { isDamaged: true, code, file }, `${what}, written`)
    }
    assert.equal(found.length, damages.length * 2, 'each is reported')
    const { faults, method } = await checkIntegrity({ file: null, read: (query) => store.scan(query) }, noWalk)
    assert.equal(method, 'amcheck')
    const named = new Set(faults.map(({ table }) => table.replace('_pkey', '')))
    for (const { what } of damages) assert.ok(named.has(`damaged_${what}`), `${what} is found by a check: ${[...named].join(' ')}`)
    // The other tables are whole.
    assert.equal(await store.read({ statement: sql`select count(*) as rows from cards`, values: [], map: ([row]) => row?.['rows'] }), 0)
    await store.close(1000)

    await damageFile(cluster, 'migrations', (path) => overwrite(path, 8, Buffer.alloc(16, 0xff)))
    await assert.rejects(openPostgresStore({ url: cluster.url }), StoreDamaged)
    await assert.rejects(inspectPostgres(cluster.url, 'cards'), StoreDamaged)
  } finally {
    await cluster.stop()
  }
})

test('an error of a statement, and an internal error that is not about files, are no damage', async () => {
  const cluster = await startCluster()
  const found: StoreDamaged[] = []
  const store = await openPostgresStore({ url: cluster.url, onDamaged: (err) => void found.push(err) })
  try {
    // 42P01; 22012; XX000 of another part of the server.
    for (const text of ['select * from missing', 'select 1/0', `select pg_stat_get_wal_receiver(1)`, `select 'x'::regclass`]) {
      await assert.rejects(
        store.read({ statement: makeStatement(text), values: [], map: () => null }),
        (err) => !(err instanceof StoreDamaged),
      )
    }
    assert.deepEqual(found, [])
  } finally {
    await store.close(1000)
    await cluster.stop()
  }
})

test('a file that cannot grow, for a reason for which the server has no code, is no damage: the store has no room', async () => {
  const cluster = await startCluster({ settings: { autovacuum: 'off' } })
  const found: StoreDamaged[] = []
  try {
    await query(cluster, 'create table growing (id integer primary key, body text not null)')
    // As much as a file of the write-ahead log needs, and the table does not get more: EFBIG, which PostgreSQL reports as an internal error (XX000).
    const { uid, gid } = statSync(join(cluster.folder, 'data'))
    const limit = ['--pid', String(cluster.pid()), '--fsize=16777216:16777216']
    const limited = spawnSync('prlimit', limit, { encoding: 'utf8', uid, gid })
    assert.equal(limited.status, 0, limited.stderr)
    const store = await openPostgresStore({ url: cluster.url, onDamaged: (err) => void found.push(err) })
    const refused: unknown = await fill(store).catch((err: unknown) => err)
    assert.ok(refused instanceof StoreFull, String(refused))
    assert.deepEqual(causeOf(refused), { isDamaged: false, code: 'XX000', file: 'md.c' })
    assert.deepEqual(found, [])
    await store.close(1000)
  } finally {
    await cluster.stop()
  }
})

test('an error number that PostgreSQL does not list is no damage, and a block behind the end of a file is', () => {
  // Routines and texts of PostgreSQL 15 and 17 (md.c, fd.c, slru.c).
  const cases = [
    ['md.c', 'mdextend', 'could not extend file "base/5/16384": Disk quota exceeded', 'full'],
    ['md.c', 'mdwritev', 'konnte Blöcke 7..7 nicht in Datei „base/5/16384“ schreiben: Datei zu groß', 'full'],
    ['md.c', 'mdreadv', 'could not read blocks 1..1 in file "base/5/16384": Stale file handle', 'unavailable'],
    ['md.c', 'mdopenfork', 'could not open file "base/5/16384": Interrupted system call', 'unavailable'],
    ['fd.c', 'durable_rename', 'could not rename file "a" to "b": Stale file handle', 'unavailable'],
    ['md.c', '_mdfd_getseg', 'could not open file "base/5/16384.1" (target block 131072): Stale file handle', 'unavailable'],
    ['md.c', '_mdfd_getseg', 'could not open file "base/5/16384.1" (target block 131072): previous segment is only 4 blocks', 'damaged'],
    ['slru.c', 'SlruReportIOError', 'could not access status of transaction 9', 'damaged'],
  ] as const
  for (const [file, routine, message, expected] of cases) {
    const err = Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code: 'XX000', file, routine })
    assert.deepEqual([postgresFaultOf(err), isDamaged(err)], [expected, expected === 'damaged'], message)
  }
  const detail = 'Could not write to file "pg_xact/0000" at offset 0: Disk quota exceeded.'
  const status = new pg.DatabaseError('could not access status of transaction 9', 1, 'error')
  assert.equal(postgresFaultOf(Object.assign(status, { code: 'XX000', file: 'slru.c', routine: 'SlruReportIOError', detail })), 'full')
})

/** Writes pages until the file of the table has reached its limit. */
async function fill(store: Store): Promise<void> {
  for (let from = 0; from < 40_000; from += 1000) await store.write(grow, { from })
}

function* grow({ from }: { readonly from: number }): Transaction<void> {
  yield* run(makeStatement(`insert into growing select i, repeat('x', 1000) from generate_series(${from}, ${from + 999}) i`), [])
}

function* writeTo({ table }: { readonly table: string }): Transaction<void> {
  yield* run(makeStatement(`update ${table} set body = body || 'y' where id = 1`), [])
}

function causeOf(err: unknown): { isDamaged: boolean; code: string | undefined; file: string | undefined } {
  let cause = err
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause
  const { code, file } = cause instanceof pg.DatabaseError ? cause : {}
  return { isDamaged: err instanceof StoreDamaged, code, file }
}

async function damageTables(cluster: Cluster): Promise<void> {
  const paths = new Map<string, string>()
  await query(cluster, 'create extension amcheck')
  for (const { what } of damages) {
    await query(cluster, `create table damaged_${what} (id integer primary key, body text not null)`)
    await query(cluster, `insert into damaged_${what} select i, repeat('x', 500) from generate_series(1, 200) i`)
    for (const name of [`damaged_${what}`, `damaged_${what}_pkey`]) {
      const [row] = await query(cluster, `select pg_relation_filepath('${name}') as path`)
      paths.set(name, join(cluster.folder, 'data', String(row?.['path'])))
    }
  }
  await cluster.halt()
  for (const { what, damage } of damages) damage(paths.get(`damaged_${what}`) ?? '', paths.get(`damaged_${what}_pkey`) ?? '')
  await cluster.start()
}

async function damageFile(cluster: Cluster, table: string, damage: (path: string) => void): Promise<void> {
  const [row] = await query(cluster, `select pg_relation_filepath('${table}') as path`)
  await cluster.halt()
  damage(join(cluster.folder, 'data', String(row?.['path'])))
  await cluster.start()
}

/** A row of a transaction from so long ago that the server has no state of it any more. */
function makeUnknownTransaction(path: string): void {
  const tuple = firstItem(path)
  overwrite(path, tuple, Buffer.from([0, 0, 0, 0xf0]))
  const infomask = read(path, tuple + infomaskOffset, 2).readUInt16LE()
  const unknown = Buffer.alloc(2)
  unknown.writeUInt16LE(infomask & ~xminKnown)
  overwrite(path, tuple + infomaskOffset, unknown)
}

/** Where the first row of a page begins in it: its line pointer follows the page's header of 24 bytes. */
function firstItem(path: string, page = 0): number {
  return read(path, page + 24, 4).readUInt32LE() & 0x7fff
}

function read(path: string, at: number, length: number): Buffer {
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, at)
  closeSync(file)
  return bytes
}

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

async function query({ url }: Cluster, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

/** In a row's header (PostgreSQL documentation, 73.6): where its flags are, and those that say whether its transaction is known to have ended. */
const infomaskOffset = 20
const xminKnown = 0x0300
const pageLength = 8192
/** A position in the table far behind its end, in the first entry of an index. */
const farBlock = Buffer.from([0x10, 0x00, 0x00, 0x00])
