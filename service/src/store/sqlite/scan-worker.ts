import { parentPort, workerData } from 'node:worker_threads'

import type { Row, Statement, Value } from '../statement.ts'
import { connectReader, type Connection } from './connect.ts'
import { primaryCode } from './fault.ts'

// A thread that reads for walks through whole tables: a page that takes long keeps nobody else waiting.

const port = parentPort
if (port === null) throw new Error('the scan worker runs as a worker thread')

/** Opened with the first query, so that a file that cannot be opened is the error of that query. */
let connection: Connection | null = null

port.on('message', (query: ScanQuery | null) => {
  if (query === null) {
    connection?.db.close()
    port.close()
    return
  }
  port.postMessage(run(query))
})

function run({ statement, values }: ScanQuery): ScanReply {
  try {
    connection ??= connectReader(locationOf(workerData as ScanWorkerStart))
    const rows = connection.run(statement, values)
    return { names: Object.keys(rows[0] ?? {}), rows: rows.map((row: Row) => Object.values(row)) }
  } catch (err) {
    return { failed: err instanceof Error ? err.message : String(err), code: primaryCode(err) }
  }
}

function locationOf(start: ScanWorkerStart): string | URL {
  return 'url' in start ? new URL(start.url) : start.path
}

/** A query to run; null: close. Queries are answered in their order. */
export interface ScanQuery {
  readonly statement: Statement
  readonly values: readonly Value[]
}

/** Rows without the names of their columns, because objects take twice the time to be copied between threads. */
export type ScanReply =
  | { readonly names: readonly string[]; readonly rows: readonly (readonly Value[])[] }
  /** `code` is the primary result code of SQLite; null for another error. */
  | { readonly failed: string; readonly code: number | null }

/** The file to read. A URL has options of SQLite. */
export type ScanWorkerStart = { readonly path: string } | { readonly url: string }
