import { text, timestamp } from './columns.ts'
import { sql } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { insertNewRows, run, type Read, type Transaction } from './transaction.ts'

// prettier-ignore
export const keksTable = table('keks', {
  kekId: text().key(),
  kind:  text(),
  since: timestamp(),     // the first key that it wrapped
}, 'decides no more than when an operator is told that a KEK is old')

/** A key encryption key that is or was in use. */
export type KekRow = RowOf<typeof keksTable>

// prettier-ignore
export const kekProcessesTable = table('kek_processes', {
  processId: text().key(),
  kekIds:    text(),      // separated by spaces
  notedAt:   timestamp(),
}, 'decides no more than whether a rewrap begins; a key that a process cannot unwrap is refused by it')

/** The key encryption keys that a process has. */
export type KekProcessRow = RowOf<typeof kekProcessesTable>

/** Stores KEKs that are not stored yet. */
export function* insertKeks({ keks }: { keks: readonly KekRow[] }): Transaction<void> {
  yield* insertNewRows(keksTable, keks)
}

const selectKeks = sql`select ${keksTable.columns} from keks order by since`

/** Oldest first. There is one more for each change of the KEK. */
export function listKeks(): Read<KekRow[]> {
  return { statement: selectKeks, values: [], map: (rows) => rows.map(keksTable.fromRow) }
}

const upsertProcess = sql`${kekProcessesTable.insertSql} on conflict (process_id) do update ${kekProcessesTable.replaceSql} returning process_id`
const deleteProcess = sql`delete from kek_processes where process_id = $1 returning process_id`

/** Stores which KEKs a process has, and deletes the rows of processes that have ended. */
export function* noteKekProcess({ own, ended }: { own: KekProcessRow | null; ended: readonly string[] }): Transaction<void> {
  if (own !== null) yield* run(upsertProcess, kekProcessesTable.toValues(own))
  for (const processId of ended) yield* run(deleteProcess, [processId])
}

const selectProcesses = sql`select ${kekProcessesTable.columns} from kek_processes order by process_id limit 1000`

export function listKekProcesses(): Read<KekProcessRow[]> {
  return { statement: selectProcesses, values: [], map: (rows) => rows.map(kekProcessesTable.fromRow) }
}
