import { DatabaseSync, type StatementSync } from 'node:sqlite'

import { changesTable, clearMove, findMovedMark, listTables, markMoved, type MovedMark, MoveRefused, triggerPrefix } from './move-marks.ts'
import {
  keyText,
  quoteName,
  quoteNames,
  toMovedValue,
  toSqliteValue,
  unmovedTables,
  type MovedColumn,
  type MovedRow,
  type MovedTable,
} from '../move/moved-rows.ts'

/** A row that was changed since it was copied: as it is now, or null when it was deleted. */
export interface ChangedRow {
  readonly key: MovedRow
  readonly row: MovedRow | null
}

/** What one transaction has read: everything in it is of one moment. */
export interface SourceSnapshot {
  readonly changes: ReadonlyMap<MovedTable, readonly ChangedRow[]>
  readonly page: readonly MovedRow[]
}

/** The embedded database, or its key store, while a service uses it. Its methods work in this thread, each for some milliseconds. */
export interface MoveSource {
  readonly tables: readonly MovedTable[]
  /** About how many rows there are, for the progress. */
  estimateRows(): number
  /** From now on, the keys of all rows that anybody changes are recorded in the transaction of the change. */
  startCapture(): void
  /** The rows that were changed since the last `forget`, and the rows of a table after a key, up to `count`. */
  read(page: { readonly table: MovedTable; readonly after: MovedRow | null; readonly count: number } | null): SourceSnapshot
  /** The changes that were read last are in the target. */
  forget(): void
  /** Nobody else writes until `unlock` or `mark`. Throws when another writer does not end within a second. */
  lock(): void
  unlock(): void
  /** Ends the lock with the commit that puts the target in charge. */
  mark(mark: MovedMark): void
  /** Removes the capture. */
  cancel(): void
  close(): void
}

/** Opens a database file for a move; with `isReturning` one that was moved. Throws `MoveRefused` when it was moved already, or was not. */
export function openMoveSource(path: string, isReturning = false): MoveSource {
  const db = new DatabaseSync(path)
  db.exec('pragma busy_timeout = 1000; pragma secure_delete = on; pragma temp_store = memory; pragma synchronous = extra')
  if ((findMovedMark(db) !== null) !== isReturning) {
    db.close()
    throw new MoveRefused(
      isReturning ? 'the embedded database was not moved: there is nothing to take back.' : 'the store was moved already.',
    )
  }
  const tables = listTables(db)
    .filter((name) => !unmovedTables.has(name))
    .map((name) => describeTable(db, name))
  const statements = new Map<string, StatementSync>()
  /** The last change that is in the target, and the last that was read. */
  let forgotten = 0
  let seen = 0
  let isLocked = false
  return Object.freeze<MoveSource>({
    tables,
    estimateRows,
    startCapture,
    read,
    forget,
    lock,
    unlock,
    mark,
    cancel,
    close: () => db.close(),
  })

  function estimateRows(): number {
    return tables.reduce(
      (sum, { name }) => sum + Number(db.prepare(`select max(rowid) as rows from ${quoteName(name)}`).get()?.['rows'] ?? 0),
      0,
    )
  }

  function startCapture(): void {
    inTransaction(() => {
      clearMove(db)
      db.exec(`create table ${changesTable} (seq integer primary key, tbl integer not null, key text not null) strict`)
      tables.forEach((table, at) => {
        for (const event of ['insert', 'update', 'delete'] as const) db.exec(captureTrigger(table, at, event))
      })
    })
  }

  function read(page: Parameters<MoveSource['read']>[0]): SourceSnapshot {
    if (!isLocked) db.exec('begin')
    try {
      return { changes: isReturning ? new Map() : readChanges(), page: page === null ? [] : readPage(page) }
    } finally {
      if (!isLocked) db.exec('commit')
    }
  }

  function readChanges(): Map<MovedTable, ChangedRow[]> {
    const found = prepare(`select seq, tbl, key from ${changesTable} where seq > ? order by seq`).all(forgotten) as unknown as unknown[][]
    const changed = new Map<MovedTable, Map<string, ChangedRow>>()
    for (const [seq, tbl, text] of found) {
      seen = Number(seq)
      const table = tables[Number(tbl)]
      if (table === undefined) throw new Error('a change names no table')
      const key = readKey(table, String(text))
      const rows = changed.get(table) ?? new Map<string, ChangedRow>()
      changed.set(table, rows)
      if (!rows.has(keyText(key))) rows.set(keyText(key), { key, row: findRow(table, key) })
    }
    return new Map([...changed].map(([table, rows]) => [table, [...rows.values()]]))
  }

  function findRow(table: MovedTable, key: MovedRow): MovedRow | null {
    const where = table.keys.map(({ name }) => `${quoteName(name)} = ?`).join(' and ')
    const [row] = all(`select ${quoteNames(table.columns)} from ${quoteName(table.name)} where ${where}`, table, key)
    return row ?? null
  }

  function readPage({ table, after, count }: NonNullable<Parameters<MoveSource['read']>[0]>): MovedRow[] {
    const keys = quoteNames(table.keys)
    const where = after === null ? '' : `where (${keys}) > (${table.keys.map(() => '?').join(', ')})`
    return all(
      `select ${quoteNames(table.columns)} from ${quoteName(table.name)} ${where} order by ${keys} limit ${String(count)}`,
      table,
      after ?? [],
    )
  }

  function all(text: string, { keys }: MovedTable, key: MovedRow): MovedRow[] {
    const values = key.map((value, at) => toSqliteValue(value, keys[at] as MovedColumn))
    return (prepare(text).all(...values) as unknown as unknown[][]).map((row) => row.map(toMovedValue))
  }

  function prepare(text: string): StatementSync {
    const prepared = statements.get(text) ?? db.prepare(text)
    prepared.setReturnArrays(true)
    prepared.setReadBigInts(true)
    statements.set(text, prepared)
    return prepared
  }

  /** What is lost of it by a crash is of no use then, so it does not wait for the disk. */
  function forget(): void {
    if (seen === forgotten) return
    if (isLocked) return void (forgotten = seen)
    db.exec('pragma synchronous = normal')
    inTransaction(() => {
      db.prepare(`delete from ${changesTable} where seq <= ?`).run(seen)
      // Numbers begin again when the table is empty.
      const left = db.prepare(`select max(seq) as newest from ${changesTable}`).get()?.['newest'] ?? null
      forgotten = left === null ? 0 : seen
      seen = forgotten
    })
    db.exec('pragma synchronous = extra')
  }

  function lock(): void {
    db.exec('begin immediate')
    isLocked = true
  }

  function unlock(): void {
    isLocked = false
    if (db.isTransaction) db.exec('rollback')
  }

  function mark(moved: MovedMark): void {
    clearMove(db)
    markMoved(db, moved)
    db.exec('commit')
    isLocked = false
  }

  function cancel(): void {
    unlock()
    inTransaction(() => void clearMove(db))
  }

  function inTransaction(run: () => void): void {
    db.exec('begin immediate')
    try {
      run()
      db.exec('commit')
    } catch (err) {
      if (db.isTransaction) db.exec('rollback')
      throw err
    }
  }
}

export function describeTable(db: DatabaseSync, name: string): MovedTable {
  const found = db.prepare(`select name, lower(type) as type, pk from pragma_table_info(?)`).all(name)
  const columns = found.map((row) => ({
    name: String(row['name']),
    type: String(row['type']) as MovedColumn['type'],
    pk: Number(row['pk']),
  }))
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  if (keys.length === 0) throw new Error(`the table ${name} has no primary key`)
  return { name, columns, keys }
}

/** An update may change the key: then the row is gone under the old one. */
function captureTrigger({ name, keys }: MovedTable, at: number, event: 'insert' | 'update' | 'delete'): string {
  const values = (of: 'old' | 'new'): string =>
    `json_array(${keys.map((key) => (key.type === 'blob' ? `hex(${of}.${quoteName(key.name)})` : `${of}.${quoteName(key.name)}`)).join(', ')})`
  const changed = {
    insert: `select ${values('new')}`,
    delete: `select ${values('old')}`,
    update: `select ${values('old')} union select ${values('new')}`,
  }
  return (
    `create trigger ${quoteName(`${triggerPrefix}${event}_${name}`)} after ${event} on ${quoteName(name)} ` +
    `begin insert into ${changesTable} (tbl, key) ${changed[event].replaceAll('select json', `select ${String(at)}, json`)}; end`
  )
}

/** A key as a trigger recorded it. */
function readKey({ keys }: MovedTable, text: string): MovedRow {
  const values = JSON.parse(text) as (string | number | null)[]
  return keys.map(({ type }, at) => {
    const value = values[at] ?? null
    return value === null ? null : type === 'blob' ? `\\x${String(value).toLowerCase()}` : String(value)
  })
}
