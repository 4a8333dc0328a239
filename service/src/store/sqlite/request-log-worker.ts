import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

import { requestSegmentsTable } from '../request-segments.ts'
import type { Row, Statement, Value } from '../statement.ts'
import { connect, type Connection, makeDatabaseFile } from './connect.ts'
import { extendedCode, primaryCode, SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_NOTADB } from './fault.ts'

// The thread of the request log: it appends, deletes and searches, so that neither the thread that answers requests nor the one that commits waits for it.

const port = parentPort
if (port === null) throw new Error('the worker of the request log runs as a worker thread')

let connection: Connection | null = null

port.on('message', (message: RequestLogMessage | null) => {
  if (message === null) {
    connection?.db.close()
    port.close()
  } else port.postMessage(handle(message))
})

function handle(message: RequestLogMessage): RequestLogReply {
  try {
    connection ??= open(workerData as RequestLogStart)
    if ('query' in message) return toReply(connection.run(message.query.statement, message.query.values))
    const { db, run } = connection
    db.exec('begin immediate')
    for (const values of message.rows) run(requestSegmentsTable.insertNewStatement, values)
    db.exec('commit')
    return { names: [], rows: [] }
  } catch (err) {
    rollBack()
    if (primaryCode(err) === SQLITE_IOERR) disconnect()
    return { failed: err instanceof Error ? err.message : String(err), code: extendedCode(err) }
  }
}

function rollBack(): void {
  try {
    if (connection?.db.isTransaction === true) connection.db.exec('rollback')
  } catch {
    // The first error says why.
  }
}

/** The next message opens the file anew, since a handle may stay useless when the disk works again. */
function disconnect(): void {
  try {
    connection?.db.close()
  } catch {
    // The first error says why.
  }
  connection = null
}

function toReply(rows: readonly Row[]): RequestLogReply {
  return { names: Object.keys(rows[0] ?? {}), rows: rows.map((row) => Object.values(row)) }
}

/** Without fsync: a crash of the process loses nothing that was appended, one of the machine some seconds, or the file. */
function open({ path, maxPages }: RequestLogStart): Connection {
  makeFile(path)
  const db = new DatabaseSync(path)
  try {
    db.exec('pragma busy_timeout = 1000')
    db.exec('pragma journal_mode = wal')
    db.exec('pragma synchronous = off')
    db.exec('pragma wal_autocheckpoint = 1000')
    db.exec('pragma journal_size_limit = 4194304')
    db.exec('pragma temp_store = memory')
    if (maxPages !== null) db.exec(`pragma max_page_count = ${maxPages}`)
    const version = Number(db.prepare('pragma user_version').get()?.['user_version'])
    if (version > schemaVersion) throw Object.assign(new Error('it is of a newer version of Tessera'), { errcode: SQLITE_NOTADB })
    db.exec(schema)
    return connect(db)
  } catch (err) {
    db.close()
    throw err
  }
}

function makeFile(path: string): void {
  try {
    makeDatabaseFile(dirname(path), basename(path))
  } catch (err) {
    throw Object.assign(err instanceof Error ? err : new Error(String(err)), { errcode: SQLITE_CANTOPEN })
  }
}

/** Rows in the order of their arrival: only the small entries of the primary key go to places all over the file. */
const schema = `
  create table if not exists request_segments (
    bucket integer not null,
    merchant_id text not null,
    last_at integer not null,
    last_id text not null,
    first_at integer not null,
    caller text not null,
    calls integer not null,
    errors integer not null,
    gaps integer not null,
    slowest_micros integer not null,
    body text not null,
    primary key (bucket, merchant_id, last_at, last_id)
  ) strict;
  create index if not exists request_segments_hour on request_segments ((last_at / 3600000));
  pragma user_version = 1`
const schemaVersion = 1

export interface RequestLogStart {
  readonly path: string
  /** Largest size of the file in pages of 4 KiB; null for no limit. */
  readonly maxPages: number | null
}

/** Segments to append, or a query, which may delete. */
export type RequestLogMessage =
  | { readonly rows: readonly (readonly Value[])[] }
  | { readonly query: { readonly statement: Statement; readonly values: readonly Value[] } }

/** The rows of a query without the names of their columns, because objects take twice the time to be copied between threads. */
export type RequestLogReply =
  | { readonly names: readonly string[]; readonly rows: readonly (readonly Value[])[] }
  /** `code` is the extended result code of SQLite; null for another error. */
  | { readonly failed: string; readonly code: number | null }
