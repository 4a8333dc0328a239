import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { startCluster, type Cluster } from '../tools/postgres.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** Where one service stores its data: a folder, and a database on PostgreSQL. */
export interface ServiceData {
  readonly folder: string
  /** Flags of `tessera start` that select it. */
  readonly flags: readonly string[]
  /** Null on SQLite. */
  readonly databaseUrl: string | null
  remove(): Promise<void>
}

/** Creates an empty store for a service. A PostgreSQL server is started for the first one that needs it. */
export interface ServiceDataFactory {
  create(store: StoreKind): Promise<ServiceData>
  close(): Promise<void>
}

export function createServiceDataFactory(given = process.env['TESSERA_TEST_POSTGRES_URL'] ?? ''): ServiceDataFactory {
  let cluster: Promise<Cluster> | null = null
  const server = async (): Promise<string> => (given === '' ? (await (cluster ??= startCluster())).url : given)
  return {
    async create(store) {
      const folder = makeFolder()
      return store === 'sqlite' ? createServiceData(folder, null) : makePostgresHome(folder, await server())
    },
    async close() {
      await (await cluster)?.stop()
    },
  }
}

/** A folder that other users may pass through: PostgreSQL may have to run as one. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-fault-'))
  chmodSync(folder, 0o711)
  return folder
}

/** The data of a service in an existing folder; `remove` deletes the folder. */
export function createServiceData(folder: string, databaseUrl: string | null): ServiceData {
  return {
    folder,
    databaseUrl,
    flags: [`--data=${join(folder, 'data')}`, ...(databaseUrl === null ? [] : [`--database-url=${databaseUrl}`])],
    remove: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}

async function makePostgresHome(folder: string, server: string): Promise<ServiceData> {
  const name = `tessera_fault_${randomBytes(6).toString('hex')}`
  await queryDatabase(server, `create database ${name}`)
  const serviceData = createServiceData(folder, withDatabase(server, name))
  return {
    ...serviceData,
    async remove() {
      await serviceData.remove()
      await queryDatabase(server, `drop database ${name} with (force)`)
    },
  }
}

/** The same server, another database. */
export function withDatabase(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Reads rows of the service's database past the service, on either store. */
export async function selectRows(serviceData: ServiceData, query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  if (serviceData.databaseUrl !== null) return queryDatabase(serviceData.databaseUrl, query)
  const db = new DatabaseSync(join(serviceData.folder, 'data', 'tessera.db'), { readOnly: true })
  try {
    return db.prepare(query).all()
  } finally {
    db.close()
  }
}

/** Runs one statement on a connection of its own. Creating and dropping a database waits for the disk. */
export async function queryDatabase(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000, query_timeout: 60_000 })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
