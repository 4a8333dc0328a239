import type { AuditEntry } from './audit.ts'
import { text, quotedText, timestamp, bytes, rowMac } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { sql } from './statement.ts'
import { type Read, type Transaction, insertRow, run, writeAudit } from './transaction.ts'

// prettier-ignore
export const dashboardSessionsTable = table('dashboard_sessions', {
  sessionId:   text().key(),
  userId:      text(),
  merchantId:  text(),
  hash:        bytes(),       // keyed hash of the secret half of the cookie
  pepperKeyId: text(),
  csrf:        text(),
  createdAt:   timestamp(),
  lastSeenAt:  timestamp(),
  userAgent:   quotedText(),
  address:     text(),
  mac:         rowMac(),      // it covers the time of the last request, so each touch changes it
})

export type DashboardSessionRow = RowOf<typeof dashboardSessionsTable>

export function* insertDashboardSession({ session, audit }: { session: DashboardSessionRow; audit: AuditEntry }): Transaction<void> {
  yield* insertRow(dashboardSessionsTable, session)
  yield* writeAudit(audit)
}

const touchRow = sql`update dashboard_sessions set last_seen_at = $2, mac = $3 where session_id = $1 and mac = $4`

export interface TouchDashboardSession {
  readonly session: DashboardSessionRow
  readonly previousMac: Uint8Array
}

/** Stores the time of the last request in the row whose MAC is `previousMac`; of concurrent requests one stores it. */
export function* touchDashboardSession({ session, previousMac }: TouchDashboardSession): Transaction<void> {
  yield* run(touchRow, [session.sessionId, session.lastSeenAt, session.mac, previousMac])
}

const deleteOne = sql`delete from dashboard_sessions where user_id = $1 and session_id = $2 returning session_id`

const deleteAll = sql`delete from dashboard_sessions where user_id = $1 returning session_id`

export interface DeleteDashboardSessions {
  readonly userId: string
  /** Null: all sessions of the user. */
  readonly sessionId: string | null
  readonly audit: AuditEntry
}

/** Deletes one session of a user or all of them; returns how many. Writes no audit entry when there was none. */
export function* deleteDashboardSessions({ userId, sessionId, audit }: DeleteDashboardSessions): Transaction<number> {
  const deleted = yield* sessionId === null ? run(deleteAll, [userId]) : run(deleteOne, [userId, sessionId])
  if (deleted.length > 0) yield* writeAudit(audit)
  return deleted.length
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const pageSize = 500

const deleteOld = sql`
  delete from dashboard_sessions where session_id in
    (select session_id from dashboard_sessions where last_seen_at < $1 order by last_seen_at limit ${pageSize})
  returning session_id`

/** Deletes a page of sessions that were last used before a time; returns how many. */
export function* deleteOldDashboardSessions({ before }: { readonly before: number }): Transaction<number> {
  return (yield* run(deleteOld, [before])).length
}

const selectRow = sql`select ${dashboardSessionsTable.columns} from dashboard_sessions where session_id = $1`

const selectOf = sql`select ${dashboardSessionsTable.columns} from dashboard_sessions where user_id = $1 order by created_at desc, session_id limit $2`

export function findDashboardSession(sessionId: string): Read<DashboardSessionRow | null> {
  return { statement: selectRow, values: [sessionId], map: ([row]) => (row === undefined ? null : dashboardSessionsTable.fromRow(row)) }
}

/** Newest first. */
export function listDashboardSessions(userId: string, count: number): Read<DashboardSessionRow[]> {
  return { statement: selectOf, values: [userId, count], map: (rows) => rows.map(dashboardSessionsTable.fromRow) }
}
