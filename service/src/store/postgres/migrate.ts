import { readText, readInteger } from '../columns.ts'
import { planMigrations, readMigrations } from '../migrations/migrations.ts'
import type { AppliedMigration, Migration } from '../migrations/migrations.ts'
import { sql } from '../statement.ts'
import { StoreRefused } from '../store.ts'
import { createFenceTable } from './fence-row.ts'
import { damagedError, isCatalogRace, isDamaged, refusalOf } from './fault.ts'
import type { Session } from './session.ts'

/**
 * Applies all pending migrations in one transaction. Row 0 of `migrations` is the lock: of two concurrent starts the second waits for the first and
 * finds nothing left to apply.
 */
export async function migratePostgres(session: Session, folder: 'cards' | 'keys'): Promise<readonly Migration[]> {
  for (let left = RACES_MAX; ; left--) {
    try {
      return await migrateOnce(session, folder)
    } catch (err) {
      await session.execute('rollback')
      // `create … if not exists` of two concurrent starts may still collide in the system catalog.
      if (left === 0 || !isCatalogRace(err)) throw startError(err)
    }
  }
}

async function migrateOnce(session: Session, folder: 'cards' | 'keys'): Promise<readonly Migration[]> {
  await session.execute('begin')
  await session.execute(`set local lock_timeout = '${MIGRATION_MS}ms'; set local idle_in_transaction_session_timeout = '10s'`)
  if (folder === 'keys') await openKeysSchema(session)
  await session.execute(createMigrationsTable, MIGRATION_MS)
  await session.execute(createFenceTable, MIGRATION_MS)
  await session.query(insertLock, [], MIGRATION_MS)
  await session.query(takeLock, [], MIGRATION_MS)

  const applied = await listAppliedMigrations(session)
  const pending = planMigrations(readMigrations('postgres', folder), applied)
  for (const migration of pending) {
    await session.execute(migration.text, MIGRATION_MS)
    await session.query(insertApplied, [migration.number, migration.name, migration.checksum])
  }
  await session.execute('commit', MIGRATION_MS)
  return pending
}

/** The migrations that a schema has, which exists. */
export async function listAppliedMigrations(session: Session): Promise<AppliedMigration[]> {
  const found = await session.query(selectApplied, [])
  return found.map((row) => ({ number: readInteger(row, 'number'), name: readText(row, 'name'), checksum: readText(row, 'checksum') }))
}

/** `create schema if not exists` asks for the right to create schemas also when the schema exists, so an operator could not create it beforehand. */
async function openKeysSchema(session: Session): Promise<void> {
  const [found] = await session.query(selectSchema, [KEYS_SCHEMA])
  if (found === undefined) await session.execute(`create schema if not exists ${KEYS_SCHEMA}`)
  await session.execute(`set local search_path = ${KEYS_SCHEMA}`)
}

/** What the server refused for good, or found damaged; any other error as it is. */
export function startError(err: unknown): unknown {
  const refusal = refusalOf(err)
  if (refusal !== null) return new StoreRefused(refusal, messageOf(err), { cause: err })
  return isDamaged(err) ? damagedError(err) : err
}

function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err)
}

const createMigrationsTable = `
  create table if not exists migrations (number integer primary key not null, name text not null, checksum text not null)`
const selectSchema = sql`select 1 as one from pg_namespace where nspname = $1`
const insertLock = sql`insert into migrations (number, name, checksum) values (0, 'lock', '') on conflict (number) do nothing`
const takeLock = sql`select number from migrations where number = 0 for update`
const selectApplied = sql`select number, name, checksum from migrations where number > 0 order by number`
const insertApplied = sql`insert into migrations (number, name, checksum) values ($1, $2, $3)`

/** The schema of the wrapped keys, so that a dump of the data's schema does not contain them. */
export const KEYS_SCHEMA = 'tessera_keys'
/** The time limit of a migration, and of waiting for that of another start. */
const MIGRATION_MS = 120_000
const RACES_MAX = 5
