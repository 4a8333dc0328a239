// time limit: 300 s
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'

import type { RequestSegment } from '../request-segments.ts'
import { bucket, sampleMerchantId, T0 } from '../suite/samples.fixture.ts'
import { makePostgresRequestLog } from './request-log.ts'
import { type TestDatabase, withPostgres } from './with-store.fixture.ts'

const dayMs = 86_400_000

test(
  'the partition of the next day is made ahead, with the key and the storage of the table',
  withPostgres(async ({ store, raw }) => {
    const requestLog = makePostgresRequestLog(store)
    await requestLog.append([segment(T0)])
    assert.deepEqual(await partitions(raw), [nameOf(T0), nameOf(T0 + dayMs)])
    const indexes = await raw(`select count(*)::int as count from pg_inherits where inhparent = 'request_segments_pkey'::regclass`)
    assert.equal(indexes[0]?.['count'], 2)
    const storages = await raw(`
      select attstorage::text as storage from pg_attribute where attname = 'body' and attrelid = any (array['${nameOf(T0)}', 'request_segments']::regclass[])`)
    assert.deepEqual(
      storages.map(({ storage }) => storage),
      ['e', 'e'],
    )
    // What was made ahead is what the next day needs, in this process and in another one.
    await requestLog.append([segment(T0 + dayMs)])
    await makePostgresRequestLog(store).append([segment(T0 + dayMs + 1)])
    assert.deepEqual(
      await partitions(raw),
      [0, 1, 2].map((day) => nameOf(T0 + day * dayMs)),
    )
  }),
)

test(
  'a day begins while others read and write the table for long, and waits for none of them',
  withPostgres(async ({ store, raw, url }) => {
    const requestLog = makePostgresRequestLog(store)
    await requestLog.append([segment(T0)])
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, query_timeout: 20_000 })
    await client.connect()
    try {
      await client.query('begin')
      await client.query(`update request_segments set calls = calls`)
      await requestLog.append([segment(T0 + 5 * dayMs)])
      await client.query('commit')
    } finally {
      await client.end()
    }
    assert.ok((await partitions(raw)).includes(nameOf(T0 + 5 * dayMs)))
  }),
)

test(
  'a partition that another process makes at the same time counts as made',
  withPostgres(async ({ store, raw }) => {
    // So many, since most days meet only some of the errors that two can get at the same moment.
    for (let day = 0; day < 600; day += 2) {
      const processes = Array.from({ length: 4 }, () => makePostgresRequestLog(store))
      await Promise.all(processes.map((requestLog, n) => requestLog.append([segment(T0 + day * dayMs + n)])))
    }
    const [row] = await raw('select count(*)::int as count from request_segments')
    assert.equal(row?.['count'], 1200)
  }),
)

test(
  'calls are appended although the partition of the next day cannot be made',
  withPostgres(async ({ store, raw }) => {
    await raw(`create table ${nameOf(T0 + dayMs)} (other integer)`)
    await makePostgresRequestLog(store).append([segment(T0)])
    assert.deepEqual(await partitions(raw), [nameOf(T0)])
  }),
)

function segment(lastAt: number): RequestSegment {
  const of = { bucket, merchantId: sampleMerchantId, caller: 'server', lastId: String(lastAt).padStart(24, '0') } as const
  return { ...of, lastAt, firstAt: lastAt, calls: 1, errors: 0, gaps: 0, slowestMicros: 1, body: '[]' }
}

function nameOf(at: number): string {
  return `request_segments_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`
}

async function partitions(raw: TestDatabase['raw']): Promise<string[]> {
  const rows = await raw(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'request_segments'::regclass order by 1`,
  )
  return rows.map(({ name }) => String(name))
}
