import { integer, text } from '../column.ts'
import { planMigrations, readMigrations } from '../migrations/migrations.ts'
import type { Migration } from '../migrations/migrations.ts'
import { sql } from '../statement.ts'
import { answerIn } from './fault.ts'
import type { Session } from './session.ts'

/**
 * Brings a schema to the newest migration, all pending ones in one transaction. Row 0 of `migrations` is the lock: of two starts at once the
 * second waits for the first and finds nothing left to do.
 */
export async function migratePostgres(session: Session, folder: 'cards' | 'keys'): Promise<readonly Migration[]> {
  for (let left = RACES_MAX; ; left--) {
    try {
      return await migrateOnce(session, folder)
    } catch (err) {
      await session.say('rollback')
      // `create … if not exists` of two starts at once may still collide in the catalogue.
      if (left === 0 || !isCatalogueRace(err)) throw err
    }
  }
}

async function migrateOnce(session: Session, folder: 'cards' | 'keys'): Promise<readonly Migration[]> {
  await session.say('begin')
  await session.say(`set local lock_timeout = '${MIGRATION_MS}ms'`)
  if (folder === 'keys') await session.say(`create schema if not exists ${KEYS_SCHEMA}; set local search_path = ${KEYS_SCHEMA}`)
  await session.say(memory, MIGRATION_MS)
  await session.ask(insertLock, [], MIGRATION_MS)
  await session.ask(takeLock, [], MIGRATION_MS)

  const found = await session.ask(selectApplied, [])
  const applied = found.map((row) => ({ number: integer(row, 'number'), name: text(row, 'name'), checksum: text(row, 'checksum') }))
  const pending = planMigrations(readMigrations('postgres', folder), applied)
  for (const migration of pending) {
    await session.say(migration.text, MIGRATION_MS)
    await session.ask(remember, [migration.number, migration.name, migration.checksum])
  }
  await session.say('commit', MIGRATION_MS)
  return pending
}

/** unique_violation, duplicate_table, duplicate_schema. */
function isCatalogueRace(err: unknown): boolean {
  return ['23505', '42P07', '42P06'].includes(answerIn(err)?.code ?? '')
}

const memory = `
  create table if not exists migrations (number integer primary key not null, name text not null, checksum text not null)`
const insertLock = sql`insert into migrations (number, name, checksum) values (0, 'lock', '') on conflict (number) do nothing`
const takeLock = sql`select number from migrations where number = 0 for update`
const selectApplied = sql`select number, name, checksum from migrations where number > 0 order by number`
const remember = sql`insert into migrations (number, name, checksum) values ($1, $2, $3)`

/** Where the wrapped keys lie, so that a dump of the data's schema does not hold them. */
export const KEYS_SCHEMA = 'tessera_keys'
/** A migration may take its time, and so may waiting for another start's. */
const MIGRATION_MS = 120_000
const RACES_MAX = 5
