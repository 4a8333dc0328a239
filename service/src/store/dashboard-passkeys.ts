import type { AuditEntry } from './audit.ts'
import { text, quotedText, timestamp, boolean, bytes, bigint, rowMac, readText } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { sql } from './statement.ts'
import { lockUserOfSession } from './user-lock.ts'
import { type Read, type Transaction, auditEnds, run, runOne, writeAudit } from './transaction.ts'

// prettier-ignore
export const dashboardPasskeysTable = table('dashboard_passkeys', {
  passkeyId:    text().key().endsOnce('passkeyId'),
  credentialId: text(),        // as the authenticator named it, base64url
  userId:       text(),
  merchantId:   text(),
  name:         quotedText(),  // given by the user
  publicKey:    bytes(),       // COSE (RFC 9052)
  counter:      bigint(),      // the signature counter; synced passkeys always have 0
  isSynced:     boolean(),     // the backup eligible flag: copies of the key are on other devices
  transports:   quotedText(),  // JSON, as the browser reported them
  challengedAt: timestamp(),   // when the last accepted challenge was issued, so that none is accepted twice
  createdAt:    timestamp(),
  lastUsedAt:   timestamp(),   // 0: never
  mac:          rowMac(),
})

/** A WebAuthn credential of a user. */
export type DashboardPasskeyRow = RowOf<typeof dashboardPasskeysTable>

export interface ChangePasskey {
  readonly passkey: DashboardPasskeyRow
  readonly audit: AuditEntry
}

const insertNew = sql`${dashboardPasskeysTable.insertSql} on conflict do nothing returning passkey_id`

export interface InsertPasskey extends ChangePasskey {
  /** The session in which it is registered. */
  readonly sessionId: string
}

/** `exists`: the credential is registered already. `ended`: the session ended meanwhile. */
export function* insertPasskey({ passkey, sessionId, audit }: InsertPasskey): Transaction<'stored' | 'exists' | 'ended'> {
  if (!(yield* lockUserOfSession({ userId: passkey.userId, sessionId }))) return 'ended'
  if ((yield* runOne(insertNew, dashboardPasskeysTable.toValues(passkey))) === null) return 'exists'
  yield* writeAudit(audit)
  return 'stored'
}

const updateRow = sql`
  update dashboard_passkeys set name = $2, counter = $3, challenged_at = $4, last_used_at = $5, mac = $6
  where passkey_id = $1 and mac = $7 returning passkey_id`

export interface UpdatePasskey {
  readonly passkey: DashboardPasskeyRow
  readonly previousMac: Uint8Array
  /** Null for a use, whose audit entry is that of what it confirmed. */
  readonly audit: AuditEntry | null
}

/** Replaces the row whose MAC is `previousMac`; false when another request changed it first. */
export function* updatePasskey({ passkey, previousMac, audit }: UpdatePasskey): Transaction<boolean> {
  const { passkeyId, name, counter, challengedAt, lastUsedAt, mac } = passkey
  const values = [passkeyId, JSON.stringify(name), counter, challengedAt, lastUsedAt, mac, previousMac]
  if ((yield* runOne(updateRow, values)) === null) return false
  if (audit !== null) yield* writeAudit(audit)
  return true
}

const deleteRow = sql`delete from dashboard_passkeys where user_id = $1 and passkey_id = $2 returning passkey_id`

/** False when there is none. */
export function* deletePasskey({
  userId,
  passkeyId,
  audit,
}: {
  userId: string
  passkeyId: string
  audit: AuditEntry
}): Transaction<boolean> {
  if ((yield* runOne(deleteRow, [userId, passkeyId])) === null) return false
  yield* writeAudit(audit)
  yield* auditEnds('dashboard_user.passkey_ended', [passkeyId], audit)
  return true
}

const deleteAll = sql`delete from dashboard_passkeys where user_id = $1 returning passkey_id`

/** A step of larger transactions: deletes the passkeys of a user for good. `audit`: the entry of the action that ends them. */
export function* deletePasskeys(userId: string, audit: AuditEntry): Transaction<void> {
  const deleted = yield* run(deleteAll, [userId])
  const subjects = deleted.map((row) => readText(row, 'passkey_id'))
  yield* auditEnds('dashboard_user.passkey_ended', subjects, audit)
}

const selectByCredential = sql`select ${dashboardPasskeysTable.columns} from dashboard_passkeys where credential_id = $1`

const selectOf = sql`select ${dashboardPasskeysTable.columns} from dashboard_passkeys where user_id = $1 order by created_at, passkey_id limit 50`

export function findPasskey(credentialId: string): Read<DashboardPasskeyRow | null> {
  const values = [credentialId]
  return { statement: selectByCredential, values, map: ([row]) => (row === undefined ? null : dashboardPasskeysTable.fromRow(row)) }
}

/** Of a user, the oldest first. */
export function listPasskeys(userId: string): Read<DashboardPasskeyRow[]> {
  return { statement: selectOf, values: [userId], map: (rows) => rows.map(dashboardPasskeysTable.fromRow) }
}
