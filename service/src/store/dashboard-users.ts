import type { AuditEntry } from './audit.ts'
import { deletePasskeys } from './dashboard-passkeys.ts'
import { deleteRecoveryCodes } from './dashboard-recovery-codes.ts'
import { deleteKnownDevices } from './known-devices.ts'
import { coveredIfSet, readInteger, readText, text, oneOf, integer, timestamp, boolean, bytes, rowMac } from './columns.ts'
import { deleteOtherDashboardSessions } from './dashboard-sessions.ts'
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
  version:        integer().versionOf('userId'),     // from 1; each change adds one
  verifier:       text(),                            // the slow hash of the password with its parameters and salt (domain/users/passwords.ts)
  mustChange:     boolean(),                         // the password was issued for one sign-in
  totp:           bytes().nullable(),                // the secret of the second factor, sealed; null without one
  createdAt:      timestamp(),
  sessionsFrom:   timestamp().coveredAs((at) => (at === 0 ? [] : [at])),       // sessions begun until then are ended, whatever rows of them there are; 0: none yet
  keptSession:    text().coveredAs((kept) => (kept === '' ? [] : [kept])),     // but for this one, from which they were ended; '' without one
  name:           text().coveredAs(coveredIfSet('name')), // as the owners call the user; '' without one
  mac:            rowMac(),
  failedAttempts: integer().named('tries').notCovered(counted), // since the last success
  lockedUntil:    timestamp().notCovered(counted),
  totpStep:       integer().notCovered(counted),     // the last step whose code was accepted, so that no code is accepted twice
  failedCodes:    integer().named('code_tries').notCovered(counted), // wrong codes of the second factor since the last right one, wherever entered; -1: refused while they are locked
  codesLockedUntil: timestamp().notCovered(counted),
  lastSignInAt:   timestamp().notCovered('shown only: nothing is decided by it'), // 0: never, since it is recorded
})

/** A person of a merchant who signs in to the dashboard. */
export type DashboardUserRow = RowOf<typeof dashboardUsersTable>

export interface SignInAttemptClaim {
  readonly userId: string
  readonly now: number
  readonly maxAttempts: number
  readonly lockMs: number
}

const selectCounts = sql`
  select count(*) as active, sum(case when totp is null and user_id not in (select user_id from dashboard_passkeys) then 1 else 0 end) as without
  from dashboard_users where state = 'active'`

/** How many people can sign in, and how many of them by their password alone. */
export function countUsers(): Read<{ active: number; withoutSecondFactor: number }> {
  return {
    statement: selectCounts,
    values: [],
    map: ([row]) =>
      row === undefined || row['without'] === null
        ? { active: 0, withoutSecondFactor: 0 }
        : { active: readInteger(row, 'active'), withoutSecondFactor: readInteger(row, 'without') },
  }
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
    sessions_from = $9, kept_session = $10, name = $11, tries = 0, locked_until = 0
  where user_id = $1 and version = $4 - 1 returning user_id`

const setTotpStep = sql`update dashboard_users set totp_step = $2, code_tries = 0, codes_locked_until = 0 where user_id = $1`

// Changes nothing, but two transactions that each take an owner away wait for each other here, so the later one counts what the earlier one left.
const lockMerchant = sql`update merchants set version = version where id = $1 returning id`

const selectOtherOwner = sql`
  select user_id from dashboard_users where merchant_id = $1 and user_id <> $2 and role = 'owner' and state = 'active' limit 1`

export interface UpdateDashboardUser {
  readonly user: DashboardUserRow
  /** Deletes the user's other sessions; null deletes none. The row says the same: `sessionsFrom`, `keptSession`. */
  readonly endSessions: { readonly except: string } | null
  /** Whether the devices on which the user has signed in become unknown. */
  readonly forgetDevices?: boolean
  /** Whether the merchant must have another active owner: the change may take one away. */
  readonly needsOtherOwner: boolean
  /** The step of the code that confirmed a new secret: it cannot be used again (RFC 6238 §5.2). */
  readonly totpStep?: number
  /** Deletes recovery codes and passkeys too: the login is issued anew. */
  readonly deletesFactors?: boolean
  readonly audit: AuditEntry
}

export type DashboardUserUpdateResult = 'updated' | 'conflict' | 'last_owner'

/** Replaces version `user.version - 1`. Nothing is changed on `conflict` (another change came first) and on `last_owner`. */
export function* updateDashboardUser(input: UpdateDashboardUser): Transaction<DashboardUserUpdateResult> {
  const { user, endSessions, forgetDevices = false, needsOtherOwner, totpStep, deletesFactors = false, audit } = input
  const { userId, merchantId, role, state, version, verifier, mustChange, totp, mac, sessionsFrom, keptSession, name } = user
  if (needsOtherOwner) {
    yield* run(lockMerchant, [merchantId])
    if ((yield* runOne(selectOtherOwner, [merchantId, userId])) === null) return 'last_owner'
  }
  const values = [userId, role, state, version, verifier, Number(mustChange), totp, mac, sessionsFrom, keptSession, name]
  if ((yield* runOne(updateRow, values)) === null) return 'conflict'
  if (totpStep !== undefined) yield* run(setTotpStep, [userId, totpStep])
  if (deletesFactors) {
    yield* deleteRecoveryCodes(userId, audit)
    yield* deletePasskeys(userId, audit)
  }
  if (forgetDevices) yield* deleteKnownDevices(userId)
  yield* writeAudit(audit)
  if (endSessions !== null) yield* deleteOtherDashboardSessions(userId, endSessions.except, audit)
  return 'updated'
}

const deleteRow = sql`delete from dashboard_users where user_id = $1 and version = $2 returning user_id`

export interface DeleteDashboardUser {
  /** The row as it was read. */
  readonly user: DashboardUserRow
  readonly needsOtherOwner: boolean
  /** Of the version after that of the row, without a MAC: a row that is put back differs from it. */
  readonly audit: AuditEntry
}

/** Deletes a user with everything that they sign in by. Nothing is deleted on `conflict` and on `last_owner`. */
export function* deleteDashboardUser({ user, needsOtherOwner, audit }: DeleteDashboardUser): Transaction<DashboardUserUpdateResult> {
  const { userId, merchantId, version } = user
  if (needsOtherOwner) {
    yield* run(lockMerchant, [merchantId])
    if ((yield* runOne(selectOtherOwner, [merchantId, userId])) === null) return 'last_owner'
  }
  if ((yield* runOne(deleteRow, [userId, version])) === null) return 'conflict'
  yield* deleteRecoveryCodes(userId, audit)
  yield* deletePasskeys(userId, audit)
  yield* deleteKnownDevices(userId)
  yield* writeAudit(audit)
  yield* deleteOtherDashboardSessions(userId, '', audit)
  return 'updated'
}

const setLastSignIn = sql`update dashboard_users set last_sign_in_at = $2 where user_id = $1 and last_sign_in_at < $2 returning user_id`

/** Records when a user signed in, for the list of users. */
export function* recordSignIn({ userId, at }: { readonly userId: string; readonly at: number }): Transaction<void> {
  yield* run(setLastSignIn, [userId, at])
}

const updateSessionsFrom = sql`
  update dashboard_users set version = $2, sessions_from = $3, kept_session = '', mac = $4 where user_id = $1 and version = $2 - 1 returning user_id`

/**
 * Replaces version `user.version - 1` by one that ends all sessions of the user, and deletes them; the failed attempts stay counted. Returns how many were
 * deleted; -1 when another change came first.
 */
export function* endDashboardSessions({
  user,
  audit,
}: {
  readonly user: DashboardUserRow
  readonly audit: AuditEntry
}): Transaction<number> {
  if ((yield* runOne(updateSessionsFrom, [user.userId, user.version, user.sessionsFrom, user.mac])) === null) return -1
  yield* writeAudit(audit)
  yield* deleteKnownDevices(user.userId)
  return yield* deleteOtherDashboardSessions(user.userId, '', audit)
}

// One statement counts and decides, however many attempts are concurrent.
const claimAttempt = sql`
  update dashboard_users set
    tries = case when tries + 1 >= $3 then 0 else tries + 1 end,
    locked_until = case when tries + 1 >= $3 then $2 + $4 else 0 end
  where user_id = $1 and (locked_until <= $2 or locked_until > $2 + $4 + 90000000) returning user_id`

/** Counts a sign-in attempt before it is evaluated. Returns false while the login is locked; the last allowed attempt locks it. */
export function* claimSignInAttempt({ userId, now, maxAttempts, lockMs }: SignInAttemptClaim): Transaction<boolean> {
  return (yield* runOne(claimAttempt, [userId, now, maxAttempts, lockMs])) !== null
}

const resetCounts = sql`update dashboard_users set tries = 0, locked_until = 0 where user_id = $1`

/** Resets the count after a successful sign-in. */
export function* resetSignInAttempts({ userId }: { userId: string }): Transaction<void> {
  yield* run(resetCounts, [userId])
}

const decrementAttempts = sql`
  update dashboard_users set tries = case when tries > 0 then tries - 1 else tries end where user_id = $1 and locked_until = 0`

/** Uncounts one attempt: the password was right, and the second factor is checked next. */
export function* releaseSignInAttempt({ userId }: { userId: string }): Transaction<void> {
  yield* run(decrementAttempts, [userId])
}

// A time that is later by more than 25 hours was set by a clock that was ahead, and is no lock. A clock that is trusted is
// wrong by a day at most: a machine whose clock is behind by less ends no lock of the others.
const isLocked = 'codes_locked_until > $2 and codes_locked_until <= $2 + $4 + 90000000'

const claimCode = sql`
  update dashboard_users set
    code_tries = case when ${isLocked} then -1 when code_tries + 1 >= $3 then 0 when code_tries < 0 then 1 else code_tries + 1 end,
    codes_locked_until = case when ${isLocked} then codes_locked_until when code_tries + 1 >= $3 then $2 + $4 else 0 end
  where user_id = $1 returning code_tries`

/**
 * Counts a code of the second factor before it is evaluated. Returns false while codes are locked; the last allowed one locks them. The row is written
 * either way, so that the time does not tell.
 */
export function* claimCodeAttempt({ userId, now, maxAttempts, lockMs }: SignInAttemptClaim): Transaction<boolean> {
  const row = yield* runOne(claimCode, [userId, now, maxAttempts, lockMs])
  return row !== null && readInteger(row, 'code_tries') >= 0
}

const advanceStep = sql`
  update dashboard_users set totp_step = $2, code_tries = 0, codes_locked_until = 0 where user_id = $1 and totp_step < $2 returning user_id`

/** Stores the step of an accepted code and resets the wrong codes. False when a code of this step or a later one was accepted before. */
export function* acceptTotpStep({ userId, totpStep }: { userId: string; totpStep: number }): Transaction<boolean> {
  return (yield* runOne(advanceStep, [userId, totpStep])) !== null
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

const selectFirstId = sql`select user_id from dashboard_users order by user_id limit 1`

/** Empty when there is no user. */
export function findFirstDashboardUserId(): Read<string> {
  return { statement: selectFirstId, values: [], map: ([row]) => (row === undefined ? '' : readText(row, 'user_id')) }
}

/** In the order of their ids. */
export function listDashboardUsers(merchantId: string, after: string, count: number): Read<DashboardUserRow[]> {
  return { statement: selectPage, values: [merchantId, after, count], map: (rows) => rows.map(dashboardUsersTable.fromRow) }
}
