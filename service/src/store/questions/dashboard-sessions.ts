import { bytes, integer, quote, quoted, text } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row } from '../statement.ts'
import type { AuditNote, DashboardSessionRow } from '../store.ts'
import { note, rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const columnList = [
  ...['session_id', 'user_id', 'merchant_id', 'hash', 'pepper_key_id', 'csrf', 'created_at', 'last_seen_at', 'user_agent', 'address'],
]
const columns = columnList.join(', ')

const insertRow = sql`insert into dashboard_sessions (${columns}) values (${places(columnList.length)})`

export function* insertDashboardSession({ session, audit }: { session: DashboardSessionRow; audit: AuditNote }): Unit<void> {
  const { sessionId, userId, merchantId, hash, pepperKeyId, csrf, createdAt, lastSeenAt, userAgent, address } = session
  yield* rows(insertRow, [sessionId, userId, merchantId, hash, pepperKeyId, csrf, createdAt, lastSeenAt, quote(userAgent), address])
  yield* note(audit)
}

const touchRow = sql`update dashboard_sessions set last_seen_at = $2 where session_id = $1 and last_seen_at < $2`

export function* touchDashboardSession({ sessionId, now }: { sessionId: string; now: number }): Unit<void> {
  yield* rows(touchRow, [sessionId, now])
}

const deleteOne = sql`delete from dashboard_sessions where user_id = $1 and session_id = $2 returning session_id`
const deleteAll = sql`delete from dashboard_sessions where user_id = $1 returning session_id`

export interface EndDashboardSessions {
  readonly of: { readonly userId: string; readonly sessionId: string | null }
  readonly audit: AuditNote
}

/** What ended nothing is not in the audit. */
export function* endDashboardSessions({ of, audit }: EndDashboardSessions): Unit<number> {
  const { userId, sessionId } = of
  const ended = yield* sessionId === null ? rows(deleteAll, [userId]) : rows(deleteOne, [userId, sessionId])
  if (ended.length > 0) yield* note(audit)
  return ended.length
}

// A number, not a place: a planner that knows the page goes by the index.
const DROP_PAGE = 500
const dropRows = sql`
  delete from dashboard_sessions where session_id in
    (select session_id from dashboard_sessions where last_seen_at < $1 order by last_seen_at limit ${DROP_PAGE})
  returning session_id`

/** Drops a page of sessions; tells how many. */
export function* dropDashboardSessions({ before }: { before: number }): Unit<number> {
  return (yield* rows(dropRows, [before])).length
}

const selectRow = sql`select ${columns} from dashboard_sessions where session_id = $1`
const selectOf = sql`select ${columns} from dashboard_sessions where user_id = $1 order by created_at desc, session_id limit $2`

export function findDashboardSession(sessionId: string): Read<DashboardSessionRow | null> {
  return { statement: selectRow, values: [sessionId], tell: ([row]) => (row === undefined ? null : tellSession(row)) }
}

export function listDashboardSessions(userId: string, count: number): Read<DashboardSessionRow[]> {
  return { statement: selectOf, values: [userId, count], tell: (found) => found.map(tellSession) }
}

function tellSession(row: Row): DashboardSessionRow {
  return {
    sessionId: text(row, 'session_id'),
    userId: text(row, 'user_id'),
    merchantId: text(row, 'merchant_id'),
    hash: bytes(row, 'hash'),
    pepperKeyId: text(row, 'pepper_key_id'),
    csrf: text(row, 'csrf'),
    createdAt: integer(row, 'created_at'),
    lastSeenAt: integer(row, 'last_seen_at'),
    userAgent: quoted(row, 'user_agent'),
    address: text(row, 'address'),
  }
}
