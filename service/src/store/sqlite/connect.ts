import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { opening, SQLITE_READONLY_ROLLBACK } from './fault.ts'
import { compileToRow } from '../row-mapping.ts'
import type { Row, Statement, Value } from '../statement.ts'

/** A connection that runs the shared statements; each is prepared once. */
export interface Connection {
  readonly db: DatabaseSync
  run(statement: Statement, values: readonly Value[]): readonly Row[]
}

/**
 * Creates the data folder (0700) and a database file in it (0600; SQLite gives -wal and -shm the mode of the file). Returns the path. Throws an
 * error whose message is for the person who starts the service.
 */
export function makeDatabaseFile(folder: string, file: string): string {
  const path = join(folder, file)
  try {
    const firstCreated = mkdirSync(folder, { recursive: true, mode: 0o700 })
    makeFile(path)
    // So that a power cut does not lose the new folder and with it the database.
    if (firstCreated !== undefined) for (const each of [folder, dirname(firstCreated)]) syncFolder(each)
  } catch (err) {
    throw new Error(`the folder ${folder} cannot be used: ${describeCause(err)}`, { cause: err })
  }
  return path
}

/** Never opens an existing file: closing it would drop the locks that this process has on it (fcntl(2), POSIX record locks). */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch (err) {
    if (!hasCode(err, 'EEXIST') || !statSync(path).isFile()) throw err
  }
}

function syncFolder(folder: string): void {
  // Windows cannot sync folders and does not need to: NTFS journals them.
  if (process.platform === 'win32') return
  const open = openSync(folder, 'r')
  fsyncSync(open)
  closeSync(open)
}

function hasCode(err: unknown, code: string): boolean {
  return err instanceof Error && 'code' in err && err.code === code
}

function describeCause(err: unknown): string {
  switch (err instanceof Error && 'code' in err ? err.code : '') {
    case 'EEXIST':
    case 'ENOTDIR':
      return 'it is not a folder'
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write there'
    case 'EROFS':
      return 'its disk is read-only'
    case 'ENOSPC':
      return 'its disk is full'
    default:
      return err instanceof Error ? err.message : String(err)
  }
}

/** Opens the cards' database for the one thread that writes. */
export function connectWriter(path: string, maxPages: number | null): Connection {
  const db = new DatabaseSync(path)
  db.exec('pragma busy_timeout = 5000')
  switchToWal(db, path)
  // Every COMMIT reaches the disk before it returns.
  db.exec('pragma synchronous = full')
  // 16 MiB. SQLite may go through all pages of the cache at each COMMIT while the file has less than 1 GiB, because it numbers a page beyond that for a
  // moment when it orders those of a split: with 64 MiB it takes 118 µs (docs/decisions/0119-commit-thread.md). What is not in it is in the system's cache.
  db.exec('pragma cache_size = -16384')
  db.exec('pragma wal_autocheckpoint = 4000')
  // After a burst the WAL goes back to this size, in bytes.
  db.exec('pragma journal_size_limit = 67108864')
  // Deleted content is overwritten with zeros in its page.
  db.exec('pragma secure_delete = on')
  // Savepoints use memory, never a temporary file.
  db.exec('pragma temp_store = memory')
  if (maxPages !== null) db.exec(`pragma max_page_count = ${maxPages}`)
  return connect(db)
}

/** The first access to the file. Throws `StoreDamaged` when it is not a database. */
function switchToWal(db: DatabaseSync, path: string): void {
  try {
    opening(path, () => db.exec('pragma journal_mode = wal'))
  } catch (err) {
    db.close()
    throw err
  }
}

/** Opens the cards' database for reading only. */
export function connectReader(path: string | URL): Connection {
  const db = openReadOnly(path, 250)
  db.exec('pragma cache_size = -65536')
  const { run } = connect(db)
  return {
    db,
    run: (statement, values) => {
      try {
        return run(statement, values)
      } catch (err) {
        // A single number beyond 2^53 makes the whole query fail.
        if (!hasCode(err, 'ERR_OUT_OF_RANGE')) throw err
        return runWithBigInts(db, statement, values)
      }
    },
  }
}

/**
 * Opens a database for reading only, and reads from it. A change that a crash has interrupted in a database without WAL, such as the key store, has to be
 * undone before anything can be read. A connection that can only read may not do it ("attempt to write a readonly database"), so another one does, as the
 * next one that opens the database for writing would.
 */
export function openReadOnly(path: string | URL, busyMs: number): DatabaseSync {
  try {
    return openAndRead(path, busyMs, { readOnly: true })
  } catch (err) {
    if (!isRollbackNeeded(err)) throw err
    openAndRead(path, busyMs).close()
    return openAndRead(path, busyMs, { readOnly: true })
  }
}

/** Whether no process has the database open in WAL mode: the last one to close it deletes the WAL. */
function isAtRest(path: string): boolean {
  return !existsSync(`${path}-wal`) && !existsSync(`${path}-journal`)
}

/** Where a reader opens a database. A reader of a database at rest would leave a WAL behind it, unless it is told that nothing changes. */
export function locationOf(path: string): URL {
  const url = pathToFileURL(path)
  if (isAtRest(path)) url.searchParams.set('immutable', '1')
  return url
}

function openAndRead(path: string | URL, busyMs: number, options: DatabaseSyncOptions = {}): DatabaseSync {
  const db = new DatabaseSync(path, options)
  try {
    db.exec(`pragma busy_timeout = ${busyMs}`)
    db.prepare('select 1 from sqlite_schema limit 1').get()
    return db
  } catch (err) {
    db.close()
    throw err
  }
}

function isRollbackNeeded(err: unknown): boolean {
  return err instanceof Error && 'errcode' in err && err.errcode === SQLITE_READONLY_ROLLBACK
}

/** Opens the store of wrapped keys. `busyMs` is how long a statement waits for another process that has locked the file. */
export function connectKeys(path: string, busyMs: number): Connection {
  const db = new DatabaseSync(path)
  try {
    opening(path, () => {
      db.exec(`pragma busy_timeout = ${busyMs}`)
      // Not WAL: a destroyed key must be gone from every file when the call returns. EXTRA also syncs the folder, so that a commit is durable.
      db.exec('pragma journal_mode = delete')
      db.exec('pragma synchronous = extra')
      db.exec('pragma secure_delete = on')
    })
  } catch (err) {
    db.close()
    throw err
  }
  return connect(db)
}

/** Numbers that are too large become NaN, so that only their own row is broken. */
function runWithBigInts(db: DatabaseSync, statement: Statement, values: readonly Value[]): readonly Row[] {
  const prepared = db.prepare(toSqlitePlaceholders(statement))
  prepared.setReadBigInts(true)
  const narrow = (value: unknown): unknown =>
    typeof value !== 'bigint' ? value : Number.isSafeInteger(Number(value)) ? Number(value) : NaN
  return prepared
    .all(...values)
    .map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, narrow(value)])) as Row)
}

/** `$1` would be a named parameter in SQLite; `?1` is the first placeholder. */
function toSqlitePlaceholders(statement: Statement): string {
  return statement.text.replace(/\$(\d+)/g, '?$1')
}

/** Runs the shared statements on an open database. */
export function connect(db: DatabaseSync): Connection {
  const prepared = new Map<string, PreparedStatement>()
  const prepare = (statement: Statement): PreparedStatement => {
    const preparedStatement = prepareForArrays(db, statement)
    prepared.set(statement.name, preparedStatement)
    return preparedStatement
  }
  return { db, run: (statement, values) => (prepared.get(statement.name) ?? prepare(statement))(values) }
}

type PreparedStatement = (values: readonly Value[]) => readonly Row[]

/** Reads arrays from SQLite and builds the rows itself, since node:sqlite's row objects are slow to read (10 µs per card with them, 6 µs without). */
function prepareForArrays(db: DatabaseSync, statement: Statement): PreparedStatement {
  const prepared = db.prepare(toSqlitePlaceholders(statement))
  prepared.setReturnArrays(true)
  const toRow = compileToRow(prepared.columns().map(({ name }) => name))
  return (values) => (prepared.all(...values) as unknown as Value[][]).map(toRow)
}
