import { readBytes } from './columns.ts'
import { disclosuresTable } from './disclosures.ts'
import { idempotencyTable } from './idempotency.ts'
import { operationsTable } from './operations.ts'
import { outboxTable } from './outbox.ts'
import { pageScriptsTable } from './page-checks.ts'
import { cardLocksTable } from './receipts.ts'
import { keyNames, listRowPage, type PagedTable, readRow, valuesOf } from './row-pages.ts'
import { makeStatement, type Row, type Statement, type Value } from './statement.ts'
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

/** A row: the values of its key and of its other columns without the MAC, and its members; null when it has a MAC or cannot be read. */
export interface RowToSign {
  readonly key: readonly Value[]
  readonly content: readonly Value[]
  readonly row: object | null
}

/** Rows in the order of their keys, after the last key of the page before; null for the first page. */
export function listRowsToSign(table: PagedTable, after: readonly Value[] | null, count: number): Read<RowToSign[]> {
  return listRowPage(table, after, count, (row) => toRowToSign(table, row))
}

export interface SignedRow extends Pick<RowToSign, 'key' | 'content'> {
  readonly mac: Uint8Array
}

export interface SignRows {
  readonly table: string
  readonly rows: readonly SignedRow[]
}

/** Writes the MACs of rows that have none. Returns of how many: a row whose content is no longer that of its MAC gets none. */
export function* signRows({ table: name, rows }: SignRows): Transaction<number> {
  const statement = signStatements.get(name)
  if (statement === undefined) throw new Error(`the rows of ${name} are not signed`)
  let signed = 0
  for (const { key, content, mac } of rows) signed += (yield* run(statement, [mac, ...key, ...content])).length
  return signed
}

const signStatements: ReadonlyMap<string, Statement> = new Map(
  tablesToSign.map((table) => {
    const names = [...keyNames(table), ...contentNames(table)]
    const isSame = names.map((name, at) => `${name} ${at < keyNames(table).length ? '=' : 'is not distinct from'} $${at + 2}`)
    return [
      table.name,
      makeStatement(`update ${table.name} set mac = $1 where ${isSame.join(' and ')} and length(mac) = 0 returning 1 as one`),
    ]
  }),
)

function contentNames({ fields }: Pick<PagedTable, 'fields'>): readonly string[] {
  return fields.filter(({ isKey, name }) => !isKey && name !== 'mac').map(({ name }) => name)
}

function toRowToSign(table: PagedTable, row: Row): RowToSign {
  const [key, content] = [valuesOf(row, keyNames(table)), valuesOf(row, contentNames(table))]
  if (readBytes(row, 'mac').length > 0) return { key, content, row: null }
  const read = readRow(table, row)
  return { key, content, row: 'brokenAt' in read ? null : read }
}
