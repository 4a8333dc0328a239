import type { AuthenticatedTable } from '@tessera/vault/rowmac'

import { cardsTable } from './cards.ts'
import { dashboardPasskeysTable } from './dashboard-passkeys.ts'
import { dashboardRecoveryCodesTable } from './dashboard-recovery-codes.ts'
import { dashboardSessionsTable, dashboardSessionVersion } from './dashboard-sessions.ts'
import { dashboardUsersTable } from './dashboard-users.ts'
import { formSessionsTable } from './form-sessions.ts'
import { knownDevicesTable } from './known-devices.ts'
import { merchantPacksTable } from './merchant-packs.ts'
import { merchantsTable } from './merchants.ts'
import { pageWatchesTable } from './page-watches.ts'
import { receiptsTable } from './receipts.ts'
import { findRowByKey, keyNames, listRowPage, type PagedTable, readRow, valuesOf } from './row-pages.ts'
import { makeStatement, type Row, type Value } from './statement.ts'
import type { Read } from './transaction.ts'
import { tablesToSign } from './unsigned-rows.ts'
import { verificationsTable } from './verifications.ts'
import { webhookEndpointsTable } from './webhook-endpoints.ts'

// Every table whose rows have a MAC, read as a whole by `tessera audit verify`.

/** A table with a MAC. `id` is the column that is the `subject` of its audit entries; null where versions of its rows are not in the audit. */
export interface MacTable {
  readonly kind: MacTableKind
  readonly table: PagedTable & AuthenticatedTable<MacRow>
  readonly id: string | null
}

/** The kind of its rows in reports; `row` for all tables whose versions are not in the audit. */
export type MacTableKind = keyof typeof auditedTables | 'row'

export interface MacRow {
  readonly mac: Uint8Array
}

/** The tables whose versions are in the audit. */
const auditedTables = {
  card: { table: cardsTable, id: 'card_id' },
  receipt: { table: receiptsTable, id: 'receipt_id' },
  merchant: { table: merchantsTable, id: 'id' },
  user: { table: dashboardUsersTable, id: 'user_id' },
  endpoint: { table: webhookEndpointsTable, id: 'endpoint_id' },
  form_session: { table: formSessionsTable, id: 'session_id' },
  session: { table: dashboardSessionsTable, id: 'session_id' },
} as const

const otherTables = [
  ...tablesToSign.filter((table) => table !== webhookEndpointsTable),
  verificationsTable,
  dashboardPasskeysTable,
  dashboardRecoveryCodesTable,
  knownDevicesTable,
  merchantPacksTable,
  pageWatchesTable,
]

/** All of them. A test compares the list with the column maps. */
export const macTables: readonly MacTable[] = [
  ...Object.entries(auditedTables).map(([kind, { table, id }]) => macTable(kind as MacTableKind, table, id)),
  ...otherTables.map((table) => macTable('row', table, null)),
]

/** The types of the rows differ from table to table; a row is only passed to the functions of its own. */
function macTable(kind: MacTableKind, table: object, id: string | null): MacTable {
  return { kind, table: table as MacTable['table'], id }
}

/** A row as it is stored, whatever it holds. */
export interface StoredRow {
  /** The values of its key. */
  readonly key: readonly Value[]
  /** The subject of its audit entries, or its key as text. */
  readonly id: string
  /** '' where its rows name none, or cannot be read. What the row says may be forged. */
  readonly merchantId: string
  /** 0 where its table has no versions, or the row cannot be read. */
  readonly version: number
  /** The row, or the name of the column that cannot be read. */
  readonly row: MacRow | { readonly brokenAt: string }
}

/** Rows in the order of their keys, after the last key of the page before; null for the first page. */
export function listStoredRows(of: MacTable, after: readonly Value[] | null, count: number): Read<StoredRow[]> {
  return listRowPage(of.table, after, count, (row) => toStoredRow(of, row))
}

/** One row by its key; null when it was deleted. */
export function findStoredRow(of: MacTable, key: readonly Value[]): Read<StoredRow | null> {
  return findRowByKey(of.table, key, (row) => toStoredRow(of, row))
}

function toStoredRow({ table, id }: MacTable, stored: Row): StoredRow {
  const key = valuesOf(stored, keyNames(table))
  const merchantId = stored[table.name === merchantsTable.name ? 'id' : 'merchant_id']
  const row = readRow(table as unknown as { readonly fromRow: (row: Row) => MacRow }, stored)
  return {
    key,
    id: id === null ? key.map(formatKey).join(' ') : String(stored[id]),
    merchantId: typeof merchantId === 'string' ? merchantId : '',
    version: id === null || 'brokenAt' in row ? 0 : Number(stored['version'] ?? dashboardSessionVersion),
    row,
  }
}

function formatKey(value: Value): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
}

/** How many rows a table has, for the progress of a walk. */
export function countRows({ name }: Pick<PagedTable, 'name'>): Read<number> {
  return { statement: makeStatement(`select count(*) as rows from ${name}`), values: [], map: ([row]) => Number(row?.['rows'] ?? 0) }
}
