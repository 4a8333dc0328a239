import type { AuditEntry } from './audit.ts'
import { text, oneOf, quotedText, timestamp, bytes, rowMac, readText } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { type Row, sql } from './statement.ts'
import { lockUserAtVersion, type UserAtVersion } from './user-lock.ts'
import { type Read, type Transaction, auditEnds, insertRow, run, runOne, writeAudit, deletedRowsMax } from './transaction.ts'

// prettier-ignore
export const dashboardSessionsTable = table('dashboard_sessions', {
  sessionId:   text().key().endsOnce('sessionId'),
  userId:      text(),
  merchantId:  text(),
  hash:        bytes(),       // keyed hash of the secret half of the cookie
  pepperKeyId: text(),
  csrf:        text(),
  createdAt:   timestamp(),
  lastSeenAt:  timestamp(),
  userAgent:   quotedText(),
  address:     text(),
  method:      oneOf('password', 'totp', 'recovery_code', 'passkey', 'synced_passkey'), // how the user last proved who they are
  confirmedAt: timestamp(),   // of the last confirmation (step-up) in this session; 0: none
  mac:         rowMac(),      // it covers the time of the last request, so each touch changes it
})

export type DashboardSessionRow = RowOf<typeof dashboardSessionsTable>

/**
 * The version of every session's row, as the audit counts: a touch only moves the time of the last request, and an older time ends the session sooner.
 * A session that was ended before its time has an audit entry with the next version and no MAC, so that its row, put back, differs from the audit.
 */
export const dashboardSessionVersion = 1

export interface InsertDashboardSession {
  readonly session: DashboardSessionRow
  /** Who was authenticated. */
  readonly user: UserAtVersion
  readonly audit: AuditEntry
}

/** False, and nothing is stored, when the user was changed after the authentication, for example by a new password, or is blocked. */
export function* insertDashboardSession({ session, user, audit }: InsertDashboardSession): Transaction<boolean> {
  if (!(yield* lockUserAtVersion(user))) return false
  yield* insertRow(dashboardSessionsTable, session)
  yield* writeAudit(audit)
  return true
}

const touchRow = sql`update dashboard_sessions set last_seen_at = $2, mac = $3 where session_id = $1 and mac = $4`

const confirmRow = sql`update dashboard_sessions set method = $2, confirmed_at = $3, mac = $4 where session_id = $1 and mac = $5 returning session_id`

export interface ConfirmDashboardSession extends TouchDashboardSession {
  readonly audit: AuditEntry
}

/** Stores that the user confirmed who they are, in the row whose MAC is `previousMac`; false when another request changed it first. */
export function* confirmDashboardSession({ session, previousMac, audit }: ConfirmDashboardSession): Transaction<boolean> {
  const { sessionId, method, confirmedAt, mac } = session
  if ((yield* runOne(confirmRow, [sessionId, method, confirmedAt, mac, previousMac])) === null) return false
  yield* writeAudit(audit)
  return true
}

export interface TouchDashboardSession {
  readonly session: DashboardSessionRow
  readonly previousMac: Uint8Array
}

/** Stores the time of the last request in the row whose MAC is `previousMac`; of concurrent requests one stores it. */
export function* touchDashboardSession({ session, previousMac }: TouchDashboardSession): Transaction<void> {
  yield* run(touchRow, [session.sessionId, session.lastSeenAt, session.mac, previousMac])
}

const deleteOne = sql`delete from dashboard_sessions where user_id = $1 and session_id = $2 returning session_id`

export interface DeleteDashboardSession {
  readonly userId: string
  readonly sessionId: string
  readonly audit: AuditEntry
}

/** Deletes one session of a user; returns how many. Writes no audit entry when there was none. */
export function* deleteDashboardSession({ userId, sessionId, audit }: DeleteDashboardSession): Transaction<number> {
  const deleted = yield* run(deleteOne, [userId, sessionId])
  if (deleted.length > 0) yield* writeAudit(audit)
  yield* auditSessionEnds(deleted, audit)
  return deleted.length
}

const deleteOthers = sql`delete from dashboard_sessions where user_id = $1 and session_id <> $2 returning session_id`

/** Deletes the sessions of a user but for one; '' keeps none. Returns how many. `audit`: the entry of the action that ends them. */
export function* deleteOtherDashboardSessions(userId: string, keptSession: string, audit: AuditEntry): Transaction<number> {
  const deleted = yield* run(deleteOthers, [userId, keptSession])
  yield* auditSessionEnds(deleted, audit)
  return deleted.length
}

function* auditSessionEnds(deleted: readonly Row[], audit: AuditEntry): Transaction<void> {
  const subjects = deleted.map((row) => readText(row, 'session_id'))
  yield* auditEnds('dashboard.session_ended', subjects, audit)
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const deleteOld = sql`
  delete from dashboard_sessions where session_id in
    (select session_id from dashboard_sessions where last_seen_at < $1 order by last_seen_at limit ${deletedRowsMax})
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
