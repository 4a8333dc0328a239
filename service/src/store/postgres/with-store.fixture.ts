import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Row } from '../statement.ts'
import type { Store } from '../store.ts'
import { testAuditKey } from '../suite/audit-key.fixture.ts'
import type { StoreUnderTest } from '../suite/opened.fixture.ts'
import { distributeTables } from './distribute.ts'
import type { PostgresStart } from './postgres.ts'
import { openPostgresStore } from './postgres.ts'
import { openPostgresSession } from './session.ts'

/** A database of its own on the test server. */
export interface TestDatabase {
  readonly url: string
  readonly raw: (text: string) => Promise<readonly Row[]>
}

/** Runs a test on a PostgreSQL store in a schema of its own, which is dropped afterwards. */
export function withPostgres(
  test: (opened: StoreUnderTest & TestDatabase) => Promise<void>,
  over: Partial<PostgresStart> = {},
): () => Promise<void> {
  return withStoreOn({ server: testServer, options: '', prepare: async () => undefined }, test, over)
}

/** The same on the coordinator of a Citus (TESSERA_TEST_CITUS_URL), with the tables distributed. A few shards are enough, and quicker. */
export function withCitus(test: (opened: StoreUnderTest & TestDatabase) => Promise<void>): () => Promise<void> {
  return withStoreOn({ server: citusServer, options: '-c citus.shard_count=4', prepare: distributeAll }, test, {})
}

/** The address of the coordinator; '' when there is none. */
export function citusServer(): string {
  return process.env['TESSERA_TEST_CITUS_URL'] ?? ''
}

interface TestServer {
  readonly server: () => string
  /** Settings of each session, as of psql. */
  readonly options: string
  /** Called once, when the schema is there. */
  readonly prepare: (url: string) => Promise<void>
}

function withStoreOn(
  { server, options, prepare }: TestServer,
  test: (opened: StoreUnderTest & TestDatabase) => Promise<void>,
  over: Partial<PostgresStart>,
): () => Promise<void> {
  return withSchema({ server, options }, async (database) => {
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

export function withPostgresDatabase(test: (database: TestDatabase) => Promise<void>): () => Promise<void> {
  return async () => {
    const server = testServer()
    const name = `tessera_test_${randomBytes(6).toString('hex')}`
    await queryRaw(server, `create database ${name}`)
    const url = urlWith(server, (target) => (target.pathname = `/${name}`))
    try {
      await test({ url, raw: (text) => queryRaw(url, text) })
    } finally {
      await queryRaw(server, `drop database ${name} with (force)`)
    }
  }
}

/** Creating a schema takes a tenth of the time of a database. */
function withSchema(on: Pick<TestServer, 'server' | 'options'>, test: (database: TestDatabase) => Promise<void>): () => Promise<void> {
  return async () => {
    const server = on.server()
    const name = `tessera_test_${randomBytes(6).toString('hex')}`
    await queryRaw(server, `create schema ${name}`)
    const url = urlWith(server, ({ searchParams }) => searchParams.set('options', `-c search_path=${name} ${on.options}`.trim()))
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
