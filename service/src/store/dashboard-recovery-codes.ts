import type { AuditEntry } from './audit.ts'
import { text, integer, timestamp, bytes, rowMac, readBytes } from './columns.ts'
import { table, type RowOf, subjectText } from './table.ts'
import { sql } from './statement.ts'
import { lockUserOfSession } from './user-lock.ts'
import { type Read, type Transaction, auditEnds, insertRow, run, runOne, writeAudit } from './transaction.ts'

// prettier-ignore
export const dashboardRecoveryCodesTable = table('dashboard_recovery_codes', {
  userId:      text().key(),
  number:      integer().key(), // from 1
  merchantId:  text(),
  hash:        bytes(),         // keyed hash of the code; its hex is the subject of the entry that ends it
  pepperKeyId: text(),
  createdAt:   timestamp(),
  usedAt:      timestamp().versionAs('hash', (usedAt) => (usedAt === 0 ? 1 : 2)), // 0: not used yet
  mac:         rowMac(),
})

/** A code that replaces the second factor once. */
export type DashboardRecoveryCodeRow = RowOf<typeof dashboardRecoveryCodesTable>

const deleteAll = sql`delete from dashboard_recovery_codes where user_id = $1 returning hash`

/** A step of larger transactions: deletes the codes of a user for good. `audit`: the entry of the action that ends them. */
export function* deleteRecoveryCodes(userId: string, audit: AuditEntry): Transaction<void> {
  const deleted = yield* run(deleteAll, [userId])
  const subjects = deleted.map((row) => subjectText(readBytes(row, 'hash')))
  yield* auditEnds('dashboard_user.recovery_code_ended', subjects, audit)
}

export interface ReplaceRecoveryCodes {
  readonly userId: string
  /** The session in which they are created. */
  readonly sessionId: string
  readonly codes: readonly DashboardRecoveryCodeRow[]
  readonly audit: AuditEntry
}

/** Replaces all codes of a user. False, and nothing is changed, when the session ended meanwhile. */
export function* replaceRecoveryCodes({ userId, sessionId, codes, audit }: ReplaceRecoveryCodes): Transaction<boolean> {
  if (!(yield* lockUserOfSession({ userId, sessionId }))) return false
  yield* deleteRecoveryCodes(userId, audit)
  for (const code of codes) yield* insertRow(dashboardRecoveryCodesTable, code)
  yield* writeAudit(audit)
  return true
}

const useRow = sql`
  update dashboard_recovery_codes set used_at = $3, mac = $4 where user_id = $1 and number = $2 and used_at = 0 and mac = $5 returning number`

const resetCodeAttempts = sql`update dashboard_users set code_tries = 0, codes_locked_until = 0 where user_id = $1`

export interface UseRecoveryCode {
  readonly code: DashboardRecoveryCodeRow
  readonly previousMac: Uint8Array
  readonly audit: AuditEntry
}

/** Marks the code whose MAC is `previousMac` as used, and resets the user's wrong codes. False when another request used it first. */
export function* markRecoveryCodeUsed({ code, previousMac, audit }: UseRecoveryCode): Transaction<boolean> {
  const { userId, number, usedAt, mac } = code
  if ((yield* runOne(useRow, [userId, number, usedAt, mac, previousMac])) === null) return false
  yield* run(resetCodeAttempts, [userId])
  yield* writeAudit(audit)
  yield* auditEnds('dashboard_user.recovery_code_ended', [subjectText(code.hash)], audit)
  return true
}

const selectAll = sql`select ${dashboardRecoveryCodesTable.columns} from dashboard_recovery_codes where user_id = $1 order by number limit 20`

export function listRecoveryCodes(userId: string): Read<DashboardRecoveryCodeRow[]> {
  return { statement: selectAll, values: [userId], map: (rows) => rows.map(dashboardRecoveryCodesTable.fromRow) }
}
