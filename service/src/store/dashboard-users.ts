import type { AuditEntry } from './audit.ts'
import { text, oneOf, integer, timestamp, boolean, bytes, rowMac } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { sql } from './statement.ts'
import { type Read, type Transaction, run, runOne, writeAudit } from './transaction.ts'

const counted = 'changed by conditional updates, which have no keys'

// prettier-ignore
export const dashboardUsersTable = table('dashboard_users', {
  userId:         text().key(),
  merchantId:     text(),
  phone:          text(),                            // digits; one phone is one login
  role:           oneOf('read', 'support', 'developer', 'owner'),
  state:          oneOf('active', 'blocked'),
  version:        integer(),                         // from 1; each change adds one
  verifier:       text(),                            // the slow hash of the password with its parameters and salt (domain/users/passwords.ts)
  mustChange:     boolean(),                         // the password was issued for one sign-in
  totp:           bytes().nullable(),                // the secret of the second factor, sealed; null without one
  createdAt:      timestamp(),
  mac:            rowMac(),
  failedAttempts: integer().named('tries').notCovered(counted), // since the last success
  lockedUntil:    timestamp().notCovered(counted),
  totpStep:       integer().notCovered(counted),     // the last step whose code was accepted, so that no code is accepted twice
})

/** A person of a merchant who signs in to the dashboard. */
export type DashboardUserRow = RowOf<typeof dashboardUsersTable>

export interface SignInAttemptClaim {
  readonly userId: string
  readonly now: number
  readonly maxAttempts: number
  readonly lockMs: number
}

const insertRow = sql`${dashboardUsersTable.insertSql} on conflict do nothing returning user_id`

/** False when the phone or the id is taken. */
export function* insertDashboardUser({ user, audit }: { user: DashboardUserRow; audit: AuditEntry }): Transaction<boolean> {
  if ((yield* runOne(insertRow, dashboardUsersTable.toValues(user))) === null) return false
  yield* writeAudit(audit)
  return true
}

// Every change, such as a new password, resets the failed attempts.
const updateRow = sql`
  update dashboard_users set role = $2, state = $3, version = $4, verifier = $5, must_change = $6, totp = $7, mac = $8,
    tries = 0, locked_until = 0
  where user_id = $1 and version = $4 - 1 returning user_id`

// Changes nothing, but two transactions that each take an owner away wait for each other here, so the later one counts what the earlier one left.
const lockMerchant = sql`update merchants set version = version where id = $1 returning id`

const selectOtherOwner = sql`
  select user_id from dashboard_users where merchant_id = $1 and user_id <> $2 and role = 'owner' and state = 'active' limit 1`

const deleteOtherSessions = sql`delete from dashboard_sessions where user_id = $1 and session_id <> $2`

export interface UpdateDashboardUser {
  readonly user: DashboardUserRow
  /** Deletes the user's other sessions; null deletes none. */
  readonly endSessions: { readonly except: string } | null
  /** Whether the merchant must have another active owner: the change may take one away. */
  readonly needsOtherOwner: boolean
  readonly audit: AuditEntry
}

export type DashboardUserUpdateResult = 'updated' | 'conflict' | 'last_owner'

/** Replaces version `user.version - 1`. Nothing is changed on `conflict` (another change came first) and on `last_owner`. */
export function* updateDashboardUser(input: UpdateDashboardUser): Transaction<DashboardUserUpdateResult> {
  const { user, endSessions, needsOtherOwner, audit } = input
  const { userId, merchantId, role, state, version, verifier, mustChange, totp, mac } = user
  if (needsOtherOwner) {
    yield* run(lockMerchant, [merchantId])
    if ((yield* runOne(selectOtherOwner, [merchantId, userId])) === null) return 'last_owner'
  }
  if ((yield* runOne(updateRow, [userId, role, state, version, verifier, Number(mustChange), totp, mac])) === null) return 'conflict'
  if (endSessions !== null) yield* run(deleteOtherSessions, [userId, endSessions.except])
  yield* writeAudit(audit)
  return 'updated'
}

// One statement counts and decides, however many attempts are concurrent.
const claimAttempt = sql`
  update dashboard_users set
    tries = case when tries + 1 >= $3 then 0 else tries + 1 end,
    locked_until = case when tries + 1 >= $3 then $2 + $4 else 0 end
  where user_id = $1 and locked_until <= $2 returning user_id`

/** Counts a sign-in attempt before it is evaluated. Returns false while the login is locked; the last allowed attempt locks it. */
export function* claimSignInAttempt({ userId, now, maxAttempts, lockMs }: SignInAttemptClaim): Transaction<boolean> {
  return (yield* runOne(claimAttempt, [userId, now, maxAttempts, lockMs])) !== null
}

const resetCounts = sql`update dashboard_users set tries = 0, locked_until = 0 where user_id = $1 returning user_id`

const resetWithStep = sql`
  update dashboard_users set tries = 0, locked_until = 0, totp_step = $2 where user_id = $1 and totp_step < $2 returning user_id`

/** Resets the count after a successful sign-in. With a TOTP step only when that is newer than the last one used. */
export function* resetSignInAttempts({ userId, totpStep }: { userId: string; totpStep: number | null }): Transaction<boolean> {
  return (yield* totpStep === null ? runOne(resetCounts, [userId]) : runOne(resetWithStep, [userId, totpStep])) !== null
}

const decrementAttempts = sql`
  update dashboard_users set tries = case when tries > 0 then tries - 1 else tries end where user_id = $1 and locked_until = 0`

/** Uncounts one attempt: the password was right, and the second factor is checked next. */
export function* releaseSignInAttempt({ userId }: { userId: string }): Transaction<void> {
  yield* run(decrementAttempts, [userId])
}

const selectRow = sql`select ${dashboardUsersTable.columns} from dashboard_users where user_id = $1`

const selectByPhone = sql`select ${dashboardUsersTable.columns} from dashboard_users where phone = $1`

const selectPage = sql`select ${dashboardUsersTable.columns} from dashboard_users where merchant_id = $1 and user_id > $2 order by user_id limit $3`

export function findDashboardUser(userId: string): Read<DashboardUserRow | null> {
  return { statement: selectRow, values: [userId], map: ([row]) => (row === undefined ? null : dashboardUsersTable.fromRow(row)) }
}

export function findDashboardUserByPhone(phone: string): Read<DashboardUserRow | null> {
  return { statement: selectByPhone, values: [phone], map: ([row]) => (row === undefined ? null : dashboardUsersTable.fromRow(row)) }
}

/** In the order of their ids. */
export function listDashboardUsers(merchantId: string, after: string, count: number): Read<DashboardUserRow[]> {
  return { statement: selectPage, values: [merchantId, after, count], map: (rows) => rows.map(dashboardUsersTable.fromRow) }
}
