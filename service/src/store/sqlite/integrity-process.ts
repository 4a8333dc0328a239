import { type AuditGap, listAuditGaps } from '../audit.ts'
import { readInteger, readText } from '../columns.ts'
import { sql } from '../statement.ts'
import type { Read } from '../transaction.ts'

import { connectReader } from './connect.ts'
import { primaryCode } from './fault.ts'

// Reads a whole database, in a process of its own so that it can be ended: see `readDatabaseFile`.

// Reads every page, compares every index with its table, and checks the list of free pages.
const integrityCheck = sql`pragma integrity_check(100)`
const countTables = sql`select count(*) as tables from sqlite_schema where type = 'table'`
const selectAuditTable = sql`select 1 as one from sqlite_schema where type = 'table' and name = 'audit'`

const [, , location = ''] = process.argv
// Ctrl-C in a terminal is sent to the whole process group: the parent decides what it means.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
// A parent that was killed: nobody waits for the result.
process.once('disconnect', () => process.exit(0))
process.send?.(readReply(), () => process.disconnect())

function readReply(): FileReply {
  try {
    return readFile()
  } catch (err) {
    return { failed: err instanceof Error ? err.message : String(err), code: primaryCode(err) }
  }
}

function readFile(): FileReport {
  const { db, run } = connectReader(new URL(location))
  const read = <T>({ statement, values, map }: Read<T>): T => map(run(statement, values))
  try {
    const tables = read({ statement: countTables, values: [], map: ([row = {}]) => readInteger(row, 'tables') })
    const lines = read({ statement: integrityCheck, values: [], map: (rows) => rows.map((row) => readText(row, 'integrity_check')) })
    const damage = lines.filter((line) => line !== 'ok')
    const hasAudit = read({ statement: selectAuditTable, values: [], map: ({ length }) => length > 0 })
    return { tables, damage, gaps: damage.length === 0 && hasAudit ? read(listAuditGaps()) : [] }
  } finally {
    db.close()
  }
}

/** What a reading of a whole database file found. */
export interface FileReport {
  /** Tables whose pages and indexes were checked. */
  readonly tables: number
  /** Damaged pages, and indexes that disagree with their tables: at most a hundred lines of SQLite. A file that cannot be read is one too. */
  readonly damage: readonly string[]
  /**
   * Missing entries of the audit, at most a hundred. Somebody deleted them, or the file has pages of two moments, which may be valid B-trees with rows
   * missing. The pages themselves are whole.
   */
  readonly gaps: readonly AuditGap[]
}

/** What the process sends; `code` is the primary result code of SQLite. */
export type FileReply = FileReport | { readonly failed: string; readonly code: number | null }
