import { setTimeout as pause } from 'node:timers/promises'
import { readText, readInteger } from '../columns.ts'
import { planMigrations, readMigrations } from '../migrations/migrations.ts'
import type { AppliedMigration, Migration } from '../migrations/migrations.ts'
import { sql } from '../statement.ts'
import { StoreLocked, StoreRefused } from '../store.ts'
import { createFenceTable } from './fence-row.ts'
import { distributeCreated } from './distribute.ts'
import { damagedError, isCatalogRace, isDamaged, isDeadlock, isLockTimeout, refusalOf } from './fault.ts'
import type { Session } from './session.ts'

/**
 * Applies the pending migrations: all of a new schema in one transaction, else each in its own, so that none holds the locks of another. Row 0 of `migrations`
 * is the lock: of two concurrent starts the second waits for the first and finds nothing left to apply. `onApplied` is called after each COMMIT.
 */
export async function migratePostgres(
  session: Session,
  folder: 'cards' | 'keys',
  onApplied: (applied: readonly Migration[], left: number) => void = () => undefined,
): Promise<readonly Migration[]> {
  const done: Migration[] = []
  for (let [races, waits] = [0, 0]; ;) {
    const step = { isChanging: false }
    try {
      const { applied, left } = await migrateOnce(session, folder, step)
      done.push(...applied)
      if (applied.length > 0) onApplied(applied, left)
      if (left === 0) return done
      waits = 0
    } catch (err) {
      await session.execute('rollback')
      // `create … if not exists` of two concurrent starts may still collide in the system catalog.
      if (isCatalogRace(err) && races++ < RACES_MAX) continue
      // One that adds the column waits for those that wait for its row 0.
      const isPassing = isDeadlock(err) || (step.isChanging && isLockTimeout(err))
      if (!isPassing || waits++ === LOCK_WAITS_MAX) throw lockError(err) ?? startError(err)
      await pause(LOCK_PAUSE_MS)
    }
  }
}

async function migrateOnce(
  session: Session,
  folder: 'cards' | 'keys',
  step: { isChanging: boolean },
): Promise<{ readonly applied: readonly Migration[]; readonly left: number }> {
  await session.execute('begin')
  await session.execute(`set local lock_timeout = '${MIGRATION_MS}ms'; set local idle_in_transaction_session_timeout = '10s'`)
  if (folder === 'keys') await openKeysSchema(session)
  await session.execute(createMigrationsTable, MIGRATION_MS)
  await session.execute(createFenceTable, MIGRATION_MS)
  await session.query(insertLock, [], MIGRATION_MS)
  await session.query(takeLock, [], MIGRATION_MS)

  const applied = await listAppliedMigrations(session)
  const pending = planMigrations(readMigrations('postgres', folder), applied)
  const now = applied.length === 0 ? pending : pending.slice(0, 1)
  // Every statement on a table queues behind one that waits for it alone, those of a running service too: it may not wait for long.
  await session.execute(`set local lock_timeout = '${LOCK_MS}ms'`)
  step.isChanging = true
  // Older schemas lack the column. Only then, since it waits for everybody who uses the table, such as the starts that wait for row 0.
  if (now.length > 0 && (await session.query(selectCompatible, [])).length === 0) await session.execute(addCompatible, MIGRATION_MS)
  for (const migration of now) {
    await session.execute(migration.text, MIGRATION_MS)
    // A new schema is distributed by a command, when somebody wants that.
    if (folder === 'cards' && applied.length > 0) await distributeCreated(session, migration.text)
    await session.query(insertApplied, [migration.number, migration.name, migration.checksum, migration.breaking ? 0 : 1])
  }
  await session.execute('commit', MIGRATION_MS)
  return { applied: now, left: pending.length - now.length }
}

/** The migrations that a schema has, which exists. */
export async function listAppliedMigrations(session: Session): Promise<AppliedMigration[]> {
  const found = await session.query(selectApplied, [])
  return found.map((row) => ({
    number: readInteger(row, 'number'),
    name: readText(row, 'name'),
    checksum: readText(row, 'checksum'),
    isCompatible: readInteger(row, 'compatible') === 1,
  }))
}

/** `create schema if not exists` asks for the right to create schemas also when the schema exists, so an operator could not create it beforehand. */
async function openKeysSchema(session: Session): Promise<void> {
  const [found] = await session.query(selectSchema, [KEYS_SCHEMA])
  if (found === undefined) await session.execute(`create schema if not exists ${KEYS_SCHEMA}`)
  await session.execute(`set local search_path = ${KEYS_SCHEMA}`)
}

function lockError(err: unknown): StoreLocked | null {
  if (!isLockTimeout(err) && !isDeadlock(err)) return null
  return new StoreLocked('another session has held a lock for two minutes that a change of the schema needs', { cause: err })
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
  create table if not exists migrations (
    number integer primary key not null, name text not null, checksum text not null, compatible integer not null default 0)`
const addCompatible = 'alter table migrations add column if not exists compatible integer not null default 0'
const selectCompatible = sql`
  select 1 as one from pg_attribute where attrelid = 'migrations'::regclass and attname = 'compatible' and not attisdropped`
const selectSchema = sql`select 1 as one from pg_namespace where nspname = $1`
const insertLock = sql`insert into migrations (number, name, checksum) values (0, 'lock', '') on conflict (number) do nothing`
const takeLock = sql`select number from migrations where number = 0 for update`
/** By way of JSON, because tables of older versions lack the column. */
const selectApplied = sql`
  select number, name, checksum, coalesce((to_jsonb(m) ->> 'compatible')::integer, 0) as compatible from migrations m where number > 0 order by number`
const insertApplied = sql`insert into migrations (number, name, checksum, compatible) values ($1, $2, $3, $4)`

/** The schema of the wrapped keys, so that a dump of the data's schema does not contain them. */
export const KEYS_SCHEMA = 'tessera_keys'
/** The time limit of a migration, and of waiting for that of another start. */
const MIGRATION_MS = 120_000
const RACES_MAX = 5
/** How long a change waits for a table, how often it is tried again, and after which pause: two minutes in all. */
const LOCK_MS = 2000
const LOCK_WAITS_MAX = 40
const LOCK_PAUSE_MS = 1000
