import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Row } from '../statement.ts'
import type { Store } from '../store.ts'
import { testAuditKey } from '../suite/audit-key.fixture.ts'
import type { StoreUnderTest } from '../suite/opened.fixture.ts'
import { distributeTables } from './distribute.ts'
import { migratePostgres } from './migrate.ts'
import type { PostgresStart } from './postgres.ts'
import { openPostgresStore } from './postgres.ts'
import { openPostgresSession } from './session.ts'

/** A database of its own on the test server. */
export interface TestDatabase {
  readonly url: string
  readonly raw: (text: string) => Promise<readonly Row[]>
}

/** Runs a test on a PostgreSQL store in a database or schema of its own, which is dropped afterwards. */
export function withPostgres(
  test: (opened: StoreUnderTest & TestDatabase) => Promise<void>,
  over: Partial<PostgresStart> = {},
): () => Promise<void> {
  return withStoreOn(
    { isolate: templateName() === '' ? isolateBySchema(testServer, '') : withMigratedDatabase, prepare: async () => undefined },
    test,
    over,
  )
}

/** The same on the coordinator of a Citus (TESSERA_TEST_CITUS_URL), with the tables distributed. A few shards are enough, and quicker. */
export function withCitus(test: (opened: StoreUnderTest & TestDatabase) => Promise<void>): () => Promise<void> {
  return withStoreOn({ isolate: isolateBySchema(citusServer, '-c citus.shard_count=4'), prepare: distributeAll }, test, {})
}

/** The address of the coordinator; '' when there is none. */
export function citusServer(): string {
  return process.env['TESSERA_TEST_CITUS_URL'] ?? ''
}

/** Runs a test with a place of its own on a server. */
type Isolate = (test: (database: TestDatabase) => Promise<void>) => () => Promise<void>

interface TestServer {
  readonly isolate: Isolate
  /** Called once, when the tables are there. */
  readonly prepare: (url: string) => Promise<void>
}

function withStoreOn(
  { isolate, prepare }: TestServer,
  test: (opened: StoreUnderTest & TestDatabase) => Promise<void>,
  over: Partial<PostgresStart>,
): () => Promise<void> {
  return isolate(async (database) => {
    // The test server may run without fsync, on which these tests do not depend. Plans are those of the statistics that a test gathers itself.
    const open = async (): Promise<Store> => {
      const opened = await openPostgresStore({ url: database.url, node: 'test', allowUnsafe: true, gathersNoStatistics: true, ...over })
      opened.setAuditKey(testAuditKey)
      return opened
    }
    let store = await open()
    await prepare(database.url)
    const reopen = async (): Promise<Store> => {
      await store.close(5000)
      return (store = await open())
    }
    try {
      await test({ store, reopen, ...database })
    } finally {
      await store.close(5000)
    }
  })
}

/** An empty database. */
export function withPostgresDatabase(test: (database: TestDatabase) => Promise<void>): () => Promise<void> {
  return withDatabase(async () => '', test)
}

/** A copy of a database with all migrations takes half of the processor time of running them. */
function withMigratedDatabase(test: (database: TestDatabase) => Promise<void>): () => Promise<void> {
  return withDatabase(async () => `template ${await makeTemplate(templateName())}`, test)
}

function withDatabase(options: () => Promise<string>, test: (database: TestDatabase) => Promise<void>): () => Promise<void> {
  return async () => {
    const server = testServer()
    const name = `tessera_test_${randomBytes(6).toString('hex')}`
    await queryRaw(server, `create database ${name} ${await options()}`)
    const url = urlWith(server, (target) => (target.pathname = `/${name}`))
    try {
      await test({ url, raw: (text) => queryRaw(url, text) })
    } finally {
      await queryRaw(server, `drop database ${name} with (force)`)
    }
  }
}

/** The database that the test runner lets its tests make on a server of its own, to be copied; '' on a server that stays. */
function templateName(): string {
  return process.env['TESSERA_TEST_POSTGRES_TEMPLATE'] ?? ''
}

/** Runs all migrations in a new database, once on a server. It gets its name when it is complete. */
async function makeTemplate(name: string): Promise<string> {
  if (hasTemplate) return name
  const server = testServer()
  const client = new pg.Client({ connectionString: server, connectionTimeoutMillis: 5000, query_timeout: 60_000 })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [templateLock])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) {
      const unfinished = `${name}_${randomBytes(6).toString('hex')}`
      await client.query(`create database ${unfinished}`)
      const url = urlWith(server, (target) => (target.pathname = `/${unfinished}`))
      const session = await openPostgresSession(url, () => undefined)
      await migratePostgres(session, 'cards').finally(() => session.end())
      // A database that somebody uses can be neither renamed nor copied.
      await client.query(`alter database ${unfinished} with allow_connections false`)
      await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [unfinished])
      await client.query(`alter database ${unfinished} rename to ${name}`)
    }
    hasTemplate = true
  } finally {
    await client.end()
  }
  return name
}

/** Whether this process knows that the database is there. */
let hasTemplate = false
const templateLock = 8_600_495

/** In a schema: it takes a tenth of the time of an empty database. `options`: settings of each session, as of psql. */
function isolateBySchema(findServer: () => string, options: string): Isolate {
  return (test) => async () => {
    const server = findServer()
    const name = `tessera_test_${randomBytes(6).toString('hex')}`
    await queryRaw(server, `create schema ${name}`)
    const url = urlWith(server, ({ searchParams }) => searchParams.set('options', `-c search_path=${name} ${options}`.trim()))
    try {
      await test({ url, raw: (text) => queryRaw(url, text) })
    } finally {
      await queryRaw(server, `drop schema ${name} cascade`)
    }
  }
}

async function distributeAll(url: string): Promise<void> {
  const session = await openPostgresSession(url, () => undefined)
  try {
    await distributeTables(session)
  } finally {
    await session.end()
  }
}

/** Runs SQL on a connection of its own, with the driver's default settings. */
async function queryRaw(url: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, query_timeout: 20_000 })
  await client.connect()
  try {
    // For several statements in one text: the rows of the last one.
    const result: unknown = await client.query(text)
    return ((Array.isArray(result) ? result.at(-1) : result) as { rows: Row[] }).rows
  } finally {
    await client.end()
  }
}

function testServer(): string {
  const url = process.env['TESSERA_TEST_POSTGRES_URL']
  if (url === undefined || url === '') {
    throw new Error(
      'set TESSERA_TEST_POSTGRES_URL to a PostgreSQL where databases may be created (postgres://…); `npm test` starts one by itself',
    )
  }
  return url
}

function urlWith(server: string, change: (target: URL) => void): string {
  const url = new URL(server)
  change(url)
  return url.href
}
