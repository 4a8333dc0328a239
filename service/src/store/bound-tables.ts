import { dashboardPasskeysTable } from './dashboard-passkeys.ts'
import { dashboardRecoveryCodesTable } from './dashboard-recovery-codes.ts'
import { knownDevicesTable } from './known-devices.ts'
import { findRowByKey, keyNames, listRowPage, type PagedTable, readRow, valuesOf } from './row-pages.ts'
import type { Row, Value } from './statement.ts'
import type { Read } from './transaction.ts'
import { tablesToSign } from './unsigned-rows.ts'
import { verificationsTable } from './verifications.ts'
import { webhookEndpointsTable } from './webhook-endpoints.ts'

// Whole tables with a MAC, read for `tessera audit verify` in the order of their keys.

/** Every table whose rows have a MAC, except those whose versions are in the audit (audited-rows.ts; cards, receipts, merchants). */
export const boundTables = [
  ...tablesToSign.filter((table) => table !== webhookEndpointsTable),
  verificationsTable,
  dashboardPasskeysTable,
  dashboardRecoveryCodesTable,
  knownDevicesTable,
]

/** A row of any table: the values of its key, and its members, or the name of the column that cannot be read. */
export interface StoredRow {
  readonly key: readonly Value[]
  readonly row: object | { readonly brokenAt: string }
}

/** Rows in the order of their keys, after the last key of the page before; null for the first page. */
export function listStoredRows(table: PagedTable, after: readonly Value[] | null, count: number): Read<StoredRow[]> {
  return listRowPage(table, after, count, (row) => toStoredRow(table, row))
}

/** One row by its key; null when it was deleted. */
export function findStoredRow(table: PagedTable, key: readonly Value[]): Read<StoredRow | null> {
  return findRowByKey(table, key, (row) => toStoredRow(table, row))
}

function toStoredRow(table: PagedTable, row: Row): StoredRow {
  return { key: valuesOf(row, keyNames(table)), row: readRow(table, row) }
}
