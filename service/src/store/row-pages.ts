import { RowBroken, type Columns } from './columns.ts'
import { makeStatement, placeholders, type Row, type Value } from './statement.ts'
import type { Table } from './table.ts'
import type { Read } from './transaction.ts'

// Whole tables in the order of their keys, whatever their rows hold: for work that goes through every row, once or for a check.

export type PagedTable = Pick<Table<Columns>, 'name' | 'fields' | 'columns' | 'fromRow'>

/** Rows in the order of their keys, after the last key of the page before; null for the first page. */
export function listRowPage<T>(table: PagedTable, after: readonly Value[] | null, count: number, map: (row: Row) => T): Read<T[]> {
  const keys = keyNames(table)
  const isAfter = after === null ? '' : `where (${keys.join(', ')}) > (${placeholders(keys.length)})`
  const statement = makeStatement(`select ${table.columns} from ${table.name} ${isAfter} order by ${keys.join(', ')} limit ${count}`)
  return { statement, values: after ?? [], map: (rows) => rows.map(map) }
}

/** One row by its key; null when there is none. */
export function findRowByKey<T>(table: PagedTable, key: readonly Value[], map: (row: Row) => T): Read<T | null> {
  const where = keyNames(table).map((name, at) => `${name} = $${at + 1}`)
  const statement = makeStatement(`select ${table.columns} from ${table.name} where ${where.join(' and ')}`)
  return { statement, values: key, map: ([row]) => (row === undefined ? null : map(row)) }
}

/** The columns of the primary key. */
export function keyNames({ fields }: Pick<PagedTable, 'fields'>): readonly string[] {
  return fields.filter(({ isKey, isOwner }) => isKey && !isOwner).map(({ name }) => name)
}

export function valuesOf(row: Row, names: readonly string[]): Value[] {
  return names.map((name) => row[name] ?? null)
}

/** A row that cannot be read must not hide the others: then the name of its column. */
export function readRow<T extends object>(table: { fromRow(this: void, row: Row): T }, row: Row): T | { readonly brokenAt: string } {
  try {
    return table.fromRow(row)
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    return { brokenAt: err.column }
  }
}
