import { bytes, integer, text, truth, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type { AuditNote, ClaimTry, DashboardUserRow } from '../store.ts'
import { note, one, rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const columnList = [
  ...['user_id', 'merchant_id', 'phone', 'role', 'state', 'version', 'verifier', 'must_change', 'totp', 'created_at', 'mac'],
  ...['tries', 'locked_until', 'totp_step'],
]
const columns = columnList.join(', ')

const insertRow = sql`insert into dashboard_users (${columns}) values (${places(columnList.length)}) on conflict do nothing returning user_id`

export function* insertDashboardUser({ user, audit }: { user: DashboardUserRow; audit: AuditNote }): Unit<boolean> {
  if ((yield* one(insertRow, valuesOf(user))) === null) return false
  yield* note(audit)
  return true
}

// A login that was given anew, by a change, begins its counts anew.
const updateRow = sql`
  update dashboard_users set role = $2, state = $3, version = $4, verifier = $5, must_change = $6, totp = $7, mac = $8,
    tries = 0, locked_until = 0
  where user_id = $1 and version = $4 - 1 returning user_id`

const endOthers = sql`delete from dashboard_sessions where user_id = $1 and session_id <> $2`

export interface ChangeDashboardUser {
  readonly next: DashboardUserRow
  readonly ends: { readonly keeps: string } | null
  readonly audit: AuditNote
}

export function* changeDashboardUser({ next, ends, audit }: ChangeDashboardUser): Unit<boolean> {
  const { userId, role, state, version, verifier, mustChange, totp, mac } = next
  if ((yield* one(updateRow, [userId, role, state, version, verifier, Number(mustChange), totp, mac])) === null) return false
  if (ends !== null) yield* rows(endOthers, [userId, ends.keeps])
  yield* note(audit)
  return true
}

// One statement counts and decides, however many come at once.
const claimRow = sql`
  update dashboard_users set
    tries = case when tries + 1 >= $3 then 0 else tries + 1 end,
    locked_until = case when tries + 1 >= $3 then $2 + $4 else 0 end
  where user_id = $1 and locked_until <= $2 returning user_id`

export function* claimSignInTry({ userId, now, triesMax, lockMs }: ClaimTry): Unit<boolean> {
  return (yield* one(claimRow, [userId, now, triesMax, lockMs])) !== null
}

const clearRow = sql`update dashboard_users set tries = 0, locked_until = 0 where user_id = $1 returning user_id`
const clearRowOfStep = sql`
  update dashboard_users set tries = 0, locked_until = 0, totp_step = $2 where user_id = $1 and totp_step < $2 returning user_id`

export function* clearSignInTries({ userId, totpStep }: { userId: string; totpStep: number | null }): Unit<boolean> {
  return (yield* totpStep === null ? one(clearRow, [userId]) : one(clearRowOfStep, [userId, totpStep])) !== null
}

const uncountRow = sql`
  update dashboard_users set tries = case when tries > 0 then tries - 1 else tries end where user_id = $1 and locked_until = 0`

export function* uncountSignInTry({ userId }: { userId: string }): Unit<void> {
  yield* rows(uncountRow, [userId])
}

const selectRow = sql`select ${columns} from dashboard_users where user_id = $1`
const selectByPhone = sql`select ${columns} from dashboard_users where phone = $1`
const selectPage = sql`select ${columns} from dashboard_users where merchant_id = $1 and user_id > $2 order by user_id limit $3`

export function findDashboardUser(userId: string): Read<DashboardUserRow | null> {
  return { statement: selectRow, values: [userId], tell: ([row]) => (row === undefined ? null : tellUser(row)) }
}

export function findDashboardUserByPhone(phone: string): Read<DashboardUserRow | null> {
  return { statement: selectByPhone, values: [phone], tell: ([row]) => (row === undefined ? null : tellUser(row)) }
}

export function listDashboardUsers(merchantId: string, after: string, count: number): Read<DashboardUserRow[]> {
  return { statement: selectPage, values: [merchantId, after, count], tell: (found) => found.map(tellUser) }
}

function valuesOf(user: DashboardUserRow): Value[] {
  return [
    ...[user.userId, user.merchantId, user.phone, user.role, user.state, user.version, user.verifier, Number(user.mustChange)],
    ...[user.totp, user.createdAt, user.mac, user.tries, user.lockedUntil, user.totpStep],
  ]
}

function tellUser(row: Row): DashboardUserRow {
  return {
    userId: text(row, 'user_id'),
    merchantId: text(row, 'merchant_id'),
    phone: text(row, 'phone'),
    role: word(row, 'role', ['read', 'support', 'developer', 'owner']),
    state: word(row, 'state', ['active', 'blocked']),
    version: integer(row, 'version'),
    verifier: text(row, 'verifier'),
    mustChange: truth(row, 'must_change'),
    totp: row['totp'] === null ? null : bytes(row, 'totp'),
    createdAt: integer(row, 'created_at'),
    mac: bytes(row, 'mac'),
    tries: integer(row, 'tries'),
    lockedUntil: integer(row, 'locked_until'),
    totpStep: integer(row, 'totp_step'),
  }
}
