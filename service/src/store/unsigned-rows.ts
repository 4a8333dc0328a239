import { RowBroken, type Columns } from './columns.ts'
import { disclosuresTable } from './disclosures.ts'
import { idempotencyTable } from './idempotency.ts'
import { operationsTable } from './operations.ts'
import { outboxTable } from './outbox.ts'
import { pageScriptsTable } from './page-checks.ts'
import { cardLocksTable } from './receipts.ts'
import { makeStatement, type Row, type Value, placeholders } from './statement.ts'
import type { Table } from './table.ts'
import { type Read, type Transaction, run } from './transaction.ts'
import { webhookEndpointsTable } from './webhook-endpoints.ts'

// Rows that were written before their table had a MAC (migration 20). The first start afterwards signs them, once.

/** The tables whose rows the migration kept without a MAC. */
export const tablesToSign = [
  operationsTable,
  outboxTable,
  webhookEndpointsTable,
  idempotencyTable,
  pageScriptsTable,
  cardLocksTable,
  disclosuresTable,
] as const

type TableToSign = Pick<Table<Columns>, 'name' | 'names' | 'keys' | 'columns' | 'fromRow'>

/** A row without a MAC: the values of its key, and its members; null when it cannot be read. */
export interface UnsignedRow {
  readonly key: readonly Value[]
  readonly row: object | null
}

/** Rows without a MAC in the order of their keys, after the last key of the page before; null for the first page. */
export function listUnsignedRows(table: TableToSign, after: readonly Value[] | null, count: number): Read<UnsignedRow[]> {
  const keys = keyNames(table)
  const isAfter = after === null ? '' : `and (${keys.join(', ')}) > (${placeholders(keys.length)})`
  const statement = makeStatement(
    `select ${table.columns} from ${table.name} where length(mac) = 0 ${isAfter} order by ${keys.join(', ')} limit ${count}`,
  )
  return { statement, values: after ?? [], map: (rows) => rows.map((row) => toUnsigned(table, row)) }
}

export interface SignRows {
  readonly table: string
  readonly rows: readonly { readonly key: readonly Value[]; readonly mac: Uint8Array }[]
}

/** Writes the MACs of rows that have none. */
export function* signRows({ table: name, rows }: SignRows): Transaction<void> {
  const table = tablesToSign.find((each) => each.name === name)
  if (table === undefined) throw new Error(`the rows of ${name} are not signed`)
  const keys = keyNames(table)
  const where = keys.map((key, at) => `${key} = $${at + 1}`).join(' and ')
  const statement = makeStatement(`update ${name} set mac = $${keys.length + 1} where ${where} and length(mac) = 0`)
  for (const { key, mac } of rows) yield* run(statement, [...key, mac])
}

function keyNames({ names, keys }: Pick<TableToSign, 'names' | 'keys'>): readonly string[] {
  return names.slice(0, keys.length)
}

function toUnsigned(table: TableToSign, row: Row): UnsignedRow {
  const key = keyNames(table).map((name) => row[name] ?? null)
  try {
    return { key, row: table.fromRow(row) }
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    return { key, row: null }
  }
}
