import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startCluster, type Cluster } from '../tools/postgres.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** Where one service keeps its things. */
export interface Home {
  readonly folder: string
  /** Flags of `tessera start` that mean this place. */
  readonly flags: readonly string[]
  /** Null on SQLite. */
  readonly databaseUrl: string | null
  remove(): Promise<void>
}

/** Makes homes; PostgreSQL is started when the first one needs it. */
export interface Homes {
  make(store: StoreKind): Promise<Home>
  close(): Promise<void>
}

export function makeHomes(given = process.env['TESSERA_TEST_POSTGRES_URL'] ?? ''): Homes {
  let cluster: Promise<Cluster> | null = null
  const server = async (): Promise<string> => (given === '' ? (await (cluster ??= startCluster())).url : given)
  return {
    async make(store) {
      const folder = makeFolder()
      return store === 'sqlite' ? makeHome(folder, null) : makePostgresHome(folder, await server())
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

/** A home in a folder that is there; the folder goes with it. */
export function makeHome(folder: string, databaseUrl: string | null): Home {
  return {
    folder,
    databaseUrl,
    flags: [`--data=${join(folder, 'data')}`, ...(databaseUrl === null ? [] : [`--database-url=${databaseUrl}`])],
    remove: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}

async function makePostgresHome(folder: string, server: string): Promise<Home> {
  const name = `tessera_fault_${randomBytes(6).toString('hex')}`
  await askDatabase(server, `create database ${name}`)
  const home = makeHome(folder, withDatabase(server, name))
  return {
    ...home,
    async remove() {
      await home.remove()
      await askDatabase(server, `drop database ${name} with (force)`)
    },
  }
}

/** The same server, another database. */
export function withDatabase(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** One statement on a connection of its own; making and dropping a database waits for the disk. */
export async function askDatabase(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000, query_timeout: 60_000 })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
