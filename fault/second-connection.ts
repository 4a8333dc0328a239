import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { dataFolderOf } from './inspect.ts'
import type { ServiceData } from './service-data.ts'

export type StoredValue = string | number | bigint | Uint8Array | null
export type StoredColumns = Readonly<Record<string, StoredValue>>

/** A connection to the database of a running service, beside those of the service. */
export interface SecondConnection {
  /** Rows whose columns have these values, whole. */
  select(table: string, where: StoredColumns): Promise<StoredColumns[]>
  count(table: string, where: StoredColumns): Promise<number>
  /** Throws when no row is changed. */
  update(table: string, where: StoredColumns, values: StoredColumns): Promise<void>
  insert(table: string, row: StoredColumns): Promise<void>
  /** Throws when no row is deleted. */
  remove(table: string, where: StoredColumns): Promise<void>
  /** Replaces the rows with the same key by a row as it was. */
  putBack(table: string, key: StoredColumns, rows: readonly StoredColumns[]): Promise<void>
  close(): Promise<void>
}

/** One row; throws when there is another number of them. */
export async function selectOne(db: SecondConnection, table: string, where: StoredColumns): Promise<StoredColumns> {
  const rows = await db.select(table, where)
  const [row] = rows
  if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows of ${table} are like ${JSON.stringify(where)}`)
  return row
}

export async function openSecondConnection(serviceData: ServiceData): Promise<SecondConnection> {
  const driver = serviceData.databaseUrl === null ? openSqlite(serviceData) : await openPostgres(serviceData.databaseUrl)
  const { run } = driver
  const changed = async (text: string, values: readonly StoredValue[]): Promise<void> => {
    if ((await run(`${text} returning 1 as one`, values)).length === 0) throw new Error(`nothing was changed by: ${text}`)
  }
  const removeAll = (table: string, where: StoredColumns) => run(`delete from ${table} where ${conditionOf(where)}`, Object.values(where))
  const insert = async (table: string, row: StoredColumns): Promise<void> => {
    const names = Object.keys(row)
    await changed(
      `insert into ${table} (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(row),
    )
  }
  return {
    select: (table, where) => run(`select * from ${table} where ${conditionOf(where)}`, Object.values(where)),
    count: async (table, where) => (await run(`select 1 as one from ${table} where ${conditionOf(where)}`, Object.values(where))).length,
    update(table, where, values) {
      const offset = Object.keys(where).length
      const sets = Object.keys(values).map((name, at) => `${name} = $${offset + at + 1}`)
      return changed(`update ${table} set ${sets.join(', ')} where ${conditionOf(where)}`, [
        ...Object.values(where),
        ...Object.values(values),
      ])
    },
    insert,
    remove: (table, where) => changed(`delete from ${table} where ${conditionOf(where)}`, Object.values(where)),
    async putBack(table, key, rows) {
      await removeAll(table, key)
      for (const row of rows) await insert(table, row)
    },
    close: driver.close,
  }
}

interface Driver {
  run(text: string, values: readonly StoredValue[]): Promise<StoredColumns[]>
  close(): Promise<void>
}

function openSqlite(serviceData: ServiceData): Driver {
  const database = new DatabaseSync(join(dataFolderOf(serviceData), 'tessera.db'))
  database.exec('pragma busy_timeout = 5000')
  return {
    run: async (text, values) => {
      const named = Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value]))
      return database.prepare(text).all(named)
    },
    close: async () => database.close(),
  }
}

async function openPostgres(url: string): Promise<Driver> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 20_000, query_timeout: 60_000 })
  await client.connect()
  return {
    run: async (text, values) => (await client.query<Record<string, StoredValue>>(text, [...values])).rows,
    close: () => client.end(),
  }
}

function conditionOf(where: StoredColumns): string {
  const conditions = Object.keys(where).map((name, at) => `${name} = $${at + 1}`)
  return conditions.length === 0 ? '1 = 1' : conditions.join(' and ')
}
