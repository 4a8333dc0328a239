import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { MessagePort } from 'node:worker_threads'

import { type Store, type StoreLock, StoreUnavailable } from '../store.ts'
import { sql } from '../statement.ts'
import { opening } from './fault.ts'
import { type Committer, connectCommitter, startCommitter } from './committer.ts'
import { connectReader, connectWriter, makeDatabaseFile } from './connect.ts'
import { REQUEST_LOG_FILE } from './request-log.ts'
import { makeScanner } from './scanner.ts'
import { logMigrations, type LogMigrations } from '../migrations/migrations.ts'
import { migrateSqlite, requireUnmoved } from './migrate.ts'
import type { Migration } from '../migrations/migrations.ts'

export interface SqliteStart {
  /** Created (0700) when it does not exist. */
  readonly folder: string
  readonly log?: LogMigrations
  /** Called when it is unknown what is durable; by default the process exits at once. */
  readonly exit?: (cause: Error) => void
  /** Largest size of the database in pages of 4 KiB; no limit when absent. */
  readonly maxPages?: number
}

/** Opens the embedded store: migrates, starts the thread that writes, and reads in this thread. Throws `MigrationRefused` and errors of SQLite. */
export async function openSqliteStore({ folder, log, exit = endService, maxPages }: SqliteStart): Promise<Store> {
  const path = makeDatabaseFile(folder, SQLITE_FILE)
  logMigrations(migrate(path), log)

  const committer = await startCommitter({ path, maxPages: maxPages ?? null }, exit)
  const locks = new Set<string>()
  return {
    ...makeStore(path, committer),
    commitCount: () => committer.commitCount(),
    sizeBytes: () => sizeOfFiles(folder),
    setAuditKey: (key) => committer.setAuditKey(key),
    // The lock of the data folder admits one process.
    tryLock: async (name) => takeOwnLock(locks, name),
    isLocked: async (name) => locks.has(name),
    openWriterPort: () => committer.openPort(),
  }
}

/** What another thread of the process needs of the store that the first has opened. */
export interface SharedSqliteStart extends Pick<Store, 'tryLock' | 'isLocked'> {
  /** The file of the database. */
  readonly path: string
  /** From `openWriterPort` of the first thread's store. */
  readonly writerPort: MessagePort
  /** Called when it is unknown what is durable. */
  readonly exit: (cause: Error) => void
}

/** The embedded store in another thread of the process: it reads by itself, and writes through the thread that writes for all. */
export function openSharedSqliteStore({ path, writerPort, exit, tryLock, isLocked }: SharedSqliteStart): Store {
  return {
    ...makeStore(path, connectCommitter(writerPort, exit)),
    // The first thread counts the commits of all, and gives the writing thread its audit key.
    commitCount: () => 0,
    sizeBytes: () => sizeOfFiles(dirname(path)),
    setAuditKey: () => undefined,
    tryLock,
    isLocked,
  }
}

type StoreOfThread = Omit<Store, 'commitCount' | 'sizeBytes' | 'setAuditKey' | 'tryLock' | 'isLocked' | 'openWriterPort'>

function makeStore(path: string, committer: Committer): StoreOfThread {
  const reader = connectReader(path)
  const scanner = makeScanner(path)
  let open = true
  const readNow: Store['readNow'] = ({ statement, values, map }) => {
    if (!open) throw new StoreUnavailable('the store is closed')
    return map(reader.run(statement, values))
  }
  return {
    kind: 'sqlite',
    file: path,
    durability: 'local',
    write: (transaction, input) =>
      open ? (committer.write(transaction.name, input) as Promise<never>) : Promise.reject(new StoreUnavailable('the store is closed')),
    read: async (query) => readNow(query),
    readNow,
    scan: (query) => scanner.scan(query),
    auditHeads: () => [committer.auditHead()].filter((head) => head !== null),
    watchAudit: (listener) => committer.watchAudit(listener),
    waitingWrites: () => committer.waitingWrites(),
    connectionPools: () => [],
    ping: async () => {
      if (!open) throw new StoreUnavailable('the store is closed')
      reader.run(ping, [])
    },
    close: async (deadlineMs) => {
      if (!open) return
      open = false
      // The readers first: the last connection to close writes the WAL back, which a reader cannot.
      await scanner.close()
      reader.db.close()
      await committer.close(deadlineMs)
    },
  }
}

function migrate(path: string): readonly Migration[] {
  const writer = connectWriter(path, null)
  try {
    return opening(path, () => {
      requireUnmoved(writer.db)
      return migrateSqlite(writer.db, 'cards')
    })
  } finally {
    writer.db.close()
  }
}

/** Of the cards' database and of the request log, each with its write-ahead log. */
async function sizeOfFiles(folder: string): Promise<number> {
  const files = [SQLITE_FILE, REQUEST_LOG_FILE].flatMap((file) => [file, `${file}-wal`])
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file)).catch(() => ({ size: 0 }))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

function endService(cause: Error): void {
  process.stderr.write(`tessera ends: ${cause.message}\n`)
  process.exit(EXIT_STORE_LOST)
}

function takeOwnLock(locks: Set<string>, name: string): StoreLock | null {
  if (locks.has(name)) return null
  locks.add(name)
  return { check: async () => undefined, release: async () => void locks.delete(name) }
}

const ping = sql`select 1 as one`
export const SQLITE_FILE = 'tessera.db'

/** The file of the cards' database in a data folder. */
export function databasePathOf(folder: string): string {
  return join(folder, SQLITE_FILE)
}

/** EX_SOFTWARE of sysexits.h: the service does not know what is durable. */
const EXIT_STORE_LOST = 70
