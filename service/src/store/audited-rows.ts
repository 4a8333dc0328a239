import { dashboardSessionsTable, dashboardSessionVersion } from './dashboard-sessions.ts'
import { dashboardUsersTable } from './dashboard-users.ts'
import { formSessionsTable } from './form-sessions.ts'
import { findRowByKey, keyNames, listRowPage, readRow, valuesOf } from './row-pages.ts'
import type { Row, Value } from './statement.ts'
import type { Read } from './transaction.ts'
import { webhookEndpointsTable } from './webhook-endpoints.ts'

// Rows of the tables that are compared with the audit as they are, whatever they hold: cards, receipts and merchants have lists of their own.

/** The tables by the kind of their rows, with the column of the id that is the `subject` of their audit entries. */
export const auditedTables = {
  user: { table: dashboardUsersTable, id: 'user_id' },
  endpoint: { table: webhookEndpointsTable, id: 'endpoint_id' },
  form_session: { table: formSessionsTable, id: 'session_id' },
  session: { table: dashboardSessionsTable, id: 'session_id' },
} as const

export type AuditedTableKind = keyof typeof auditedTables

/** A row of one of these tables. */
export interface AuditedTableRow {
  readonly key: readonly Value[]
  readonly id: string
  readonly merchantId: string
  /** Null for a row that cannot be read; then `brokenAt` is the column. */
  readonly row: (object & { readonly mac: Uint8Array }) | null
  readonly brokenAt: string | null
  readonly version: number
}

/** A page of rows in the order of their keys, after the last key of the page before; null for the first page. */
export function listAuditedRows(kind: AuditedTableKind, after: readonly Value[] | null, count: number): Read<AuditedTableRow[]> {
  return listRowPage(auditedTables[kind].table, after, count, (row) => toAuditedRow(kind, row))
}

export function findAuditedRow(kind: AuditedTableKind, key: readonly Value[]): Read<AuditedTableRow | null> {
  return findRowByKey(auditedTables[kind].table, key, (row) => toAuditedRow(kind, row))
}

function toAuditedRow(kind: AuditedTableKind, row: Row): AuditedTableRow {
  const { table, id } = auditedTables[kind]
  const ids = { key: valuesOf(row, keyNames(table)), id: String(row[id]), merchantId: String(row['merchant_id']) }
  const read = readRow<object & { readonly mac: Uint8Array }>(table, row)
  if ('brokenAt' in read) return { ...ids, row: null, brokenAt: read.brokenAt, version: 0 }
  return { ...ids, row: read, brokenAt: null, version: Number(row['version'] ?? dashboardSessionVersion) }
}
