import type { DatabaseSync } from 'node:sqlite'
import { readText, readInteger } from '../columns.ts'
import { clearInterruptedMove } from './move-marks.ts'
import { planMigrations, readMigrations } from '../migrations/migrations.ts'
import type { AppliedMigration, Migration } from '../migrations/migrations.ts'
import type { Row } from '../statement.ts'
import { movedMessage } from './fault.ts'

/** Migrates a database to the newest schema, in one transaction under SQLite's write lock, so that two concurrent starts are safe. */
export function migrateSqlite(db: DatabaseSync, folder: 'cards' | 'keys'): readonly Migration[] {
  db.exec('begin immediate')
  try {
    db.exec(createMigrationsTable)
    const pending = planMigrations(readMigrations('sqlite', folder), readAppliedMigrations(db))
    if (pending.length > 0 && !hasCompatible(db)) db.exec('alter table migrations add column compatible integer not null default 0')
    for (const migration of pending) {
      db.exec(migration.text)
      db.prepare('insert into migrations (number, name, checksum, compatible) values (?, ?, ?, ?)').run(
        migration.number,
        migration.name,
        migration.checksum,
        migration.breaking ? 0 : 1,
      )
    }
    db.exec('commit')
    return pending
  } catch (err) {
    if (db.isTransaction) db.exec('rollback')
    throw err
  }
}

/** Removes what an interrupted move to PostgreSQL has left. Throws when the database was moved: the checks of a start say what to do. */
export function requireUnmoved(db: DatabaseSync): void {
  if (!clearInterruptedMove(db)) throw new Error(movedMessage)
}

/** Whether a database has a schema of ours. */
export function hasMigrationsTable(db: DatabaseSync): boolean {
  return db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'migrations'").get() !== undefined
}

export function readAppliedMigrations(db: DatabaseSync): AppliedMigration[] {
  const compatible = hasCompatible(db) ? 'compatible' : '0 as compatible'
  const found = db.prepare(`select number, name, checksum, ${compatible} from migrations order by number`).all() as Row[]
  return found.map((row) => ({
    number: readInteger(row, 'number'),
    name: readText(row, 'name'),
    checksum: readText(row, 'checksum'),
    isCompatible: readInteger(row, 'compatible') === 1,
  }))
}

/** Schemas of older versions lack the column. */
function hasCompatible(db: DatabaseSync): boolean {
  return db.prepare("select 1 from pragma_table_info('migrations') where name = 'compatible'").get() !== undefined
}

const createMigrationsTable = `create table if not exists migrations (
  number integer primary key not null, name text not null, checksum text not null, compatible integer not null default 0) strict`
