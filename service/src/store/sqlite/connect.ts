import { closeSync, mkdirSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { StatementSync } from 'node:sqlite'
import type { Row, Statement, Value } from '../statement.ts'

/** A connection that answers shared statements; each is prepared once. */
export interface Connection {
  readonly db: DatabaseSync
  ask(statement: Statement, values: readonly Value[]): readonly Row[]
}

/** Makes the data folder (0700) and the database file (0600; SQLite gives -wal and -shm the mode of the file). */
export function makeDatabaseFile(folder: string, path: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}

/** Opens the cards' database for the one thread that writes. */
export function connectWriter(path: string, maxPages: number | null): Connection {
  const db = new DatabaseSync(path)
  db.exec('pragma busy_timeout = 5000')
  db.exec('pragma journal_mode = wal')
  // Every COMMIT reaches the disk before it returns.
  db.exec('pragma synchronous = full')
  db.exec('pragma cache_size = -65536')
  db.exec('pragma wal_autocheckpoint = 4000')
  // After a burst the WAL goes back to this size, in bytes.
  db.exec('pragma journal_size_limit = 67108864')
  // What is shredded is overwritten with zeros in its page.
  db.exec('pragma secure_delete = on')
  // Savepoints spill into memory, never into a temporary file.
  db.exec('pragma temp_store = memory')
  if (maxPages !== null) db.exec(`pragma max_page_count = ${maxPages}`)
  return connect(db)
}

/** Opens the cards' database for reading only. */
export function connectReader(path: string): Connection {
  const db = new DatabaseSync(path, { readOnly: true })
  db.exec('pragma busy_timeout = 2000')
  db.exec('pragma cache_size = -65536')
  return connect(db)
}

/** Answers shared statements over an open database. */
export function connect(db: DatabaseSync): Connection {
  const prepared = new Map<string, StatementSync>()
  const prepare = (statement: Statement): StatementSync => {
    // `$1` would be a named parameter here; `?1` is the first place.
    const made = db.prepare(statement.text.replace(/\$(\d+)/g, '?$1'))
    prepared.set(statement.name, made)
    return made
  }
  return { db, ask: (statement, values) => (prepared.get(statement.name) ?? prepare(statement)).all(...values) as Row[] }
}
