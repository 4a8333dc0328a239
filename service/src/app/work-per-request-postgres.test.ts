// own process: starts a PostgreSQL server of its own, whose write-ahead log nobody else writes
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'

import pg from 'pg'

import { startCluster } from '../../../tools/postgres.ts'
import { openPostgresStore } from '../store/postgres/postgres.ts'
import { openPostgresProxy } from '../store/postgres/proxy.fixture.ts'
import { testAuditKey } from '../store/suite/audit-key.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

import { openMeasuredCaller } from './measured-calls.fixture.ts'

/** What one request costs of a PostgreSQL server. */
interface PostgresWork {
  /** With those that begin and end transactions. */
  readonly statements: number
  /** How often the call waits for the server: statements that go together share one. */
  readonly roundTrips: number
  /** Bytes of the write-ahead log, at most, without the images of whole pages that the first change after a checkpoint writes. */
  readonly logBytes: number
}

// prettier-ignore
const expected: Readonly<Record<string, PostgresWork>> = {
  'cards.create':          { statements: 4, roundTrips: 1, logBytes: 1600 },
  'cards.get_verify_code': { statements: 13, roundTrips: 7, logBytes: 1900 },
  'cards.verify':          { statements: 16, roundTrips: 9, logBytes: 2800 },
  'cards.check':           { statements: 1, roundTrips: 1, logBytes: 0 },
  'receipts.create':       { statements: 5, roundTrips: 1, logBytes: 1400 },
  'receipts.pay':          { statements: 22, roundTrips: 9, logBytes: 5400 },
  'receipts.pay, keyed':   { statements: 26, roundTrips: 11, logBytes: 6900 },
  'receipts.check':        { statements: 1, roundTrips: 1, logBytes: 0 },
  'receipts.get':          { statements: 1, roundTrips: 1, logBytes: 0 },
  'cards.remove':          { statements: 9, roundTrips: 3, logBytes: 2000 },
}

test('no request sends, waits for or logs more on PostgreSQL than is written down', async () => {
  // Minimal: no snapshots of running transactions for standbys, which would be counted as some call's.
  const cluster = await startCluster({
    settings: { wal_level: 'minimal', max_wal_senders: '0', full_page_writes: 'off', autovacuum: 'off', fsync: 'off' },
  })
  const proxy = await openPostgresProxy(cluster.url)
  const store = await openPostgresStore({ url: proxy.url, node: 'test', allowUnsafe: true, gathersNoStatistics: true })
  store.setAuditKey(testAuditKey)
  const app = await createTestApp({ after }, { store })
  const observer = new pg.Client({ connectionString: cluster.url })
  await observer.connect()
  try {
    const position = async (): Promise<bigint> => {
      const { rows } = await observer.query<{ bytes: string }>(`select pg_current_wal_insert_lsn() - '0/0' as bytes`)
      return BigInt(rows[0]?.bytes ?? '0')
    }
    const measured: Record<string, PostgresWork[]> = {}
    const caller = await openMeasuredCaller(app)
    for (let round = 0; round < rounds; round++)
      await caller.callEach(async (name, call) => {
        const before = { statements: proxy.queries.length, roundTrips: proxy.countRoundTrips(), log: await position() }
        await call()
        const statements = proxy.queries.length - before.statements
        const roundTrips = proxy.countRoundTrips() - before.roundTrips
        ;(measured[name] ??= []).push({ statements, roundTrips, logBytes: Number((await position()) - before.log) })
      })
    assert.deepEqual(Object.keys(measured), Object.keys(expected))
    for (const [method, { logBytes: most, ...work }] of Object.entries(expected)) {
      // The first calls prepare statements and fill caches; one of the others may divide a page of an index.
      const later = measured[method]?.slice(measured[method].length / rounds) ?? []
      for (const { statements, roundTrips } of later) assert.deepEqual({ statements, roundTrips }, work, method)
      const bytes = medianOf(later.map(({ logBytes }) => logBytes))
      assert.ok(bytes <= most && bytes >= most * 0.8, `${method} wrote ${String(bytes)} bytes to the log`)
    }
  } finally {
    await app.close()
    await store.close(5000)
    await observer.end()
    await proxy.close()
    await cluster.stop()
  }
})

test('the page of the benchmarks has the same numbers of PostgreSQL', () => {
  const page = readFileSync(new URL('../../../docs/operating/benchmarks.md', import.meta.url), 'utf8')
  for (const [method, { statements, roundTrips, logBytes }] of Object.entries(expected))
    assert.ok(page.includes(`| \`${method}\` | ${[statements, roundTrips, logBytes.toLocaleString('en')].join(' | ')} |`), method)
})

const rounds = 5

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? Infinity
}
