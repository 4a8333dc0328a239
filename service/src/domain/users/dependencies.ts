import type { Keyring } from '@tessera/vault/keyring'
import type { RowAuthenticator } from '@tessera/vault/rowmac'

import type { Clock } from '../../clock.ts'
import type { AuditActor } from '../request-context.ts'
import type { AuditEntry } from '../../store/audit.ts'
import type { DashboardUserRow } from '../../store/dashboard-users.ts'
import type { Store } from '../../store/store.ts'

import type { TamperedRowAlarm } from '../verified-rows.ts'

import type { DashboardPasswords } from './passwords.ts'

export interface DashboardDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly settings: UserSettings
  readonly passwords: DashboardPasswords
  /** Called when a row's MAC is wrong. */
  readonly alarm: TamperedRowAlarm
}

/** The services used by the operations in this folder. */
export interface DashboardServices extends DashboardDependencies {
  readonly mac: RowAuthenticator<DashboardUserRow>
}

export interface DashboardUserKey {
  readonly merchantId: string
  readonly userId: string
}

/** A signed-in user who changes their own password, second factor or sessions. */
export interface OwnAccount extends DashboardUserKey, AuditActor {
  readonly sessionId: string
}

/** The audit entry for a change to a user; `after` is the resulting row. The phone is left out. */
export function userAuditEntry(
  after: DashboardUserRow,
  { actor, requestId }: AuditActor,
  action: Pick<AuditEntry, 'at' | 'action' | 'outcome'>,
): AuditEntry {
  const { merchantId, userId, version, mac } = after
  return { ...action, actor, requestId, merchantId, subject: userId, version, mac }
}

/** The audit entry for an operation that does not change the user's row. */
export function sessionAuditEntry(
  user: DashboardUserRow,
  actor: AuditActor,
  action: Pick<AuditEntry, 'at' | 'action' | 'outcome'>,
): AuditEntry {
  return { ...userAuditEntry(user, actor, action), version: 0, mac: new Uint8Array(0) }
}

/** Returns the row if its MAC is valid, otherwise null; raises the alarm for a wrong MAC. */
export async function verifiedUserRow({ mac, alarm }: DashboardServices, found: DashboardUserRow | null): Promise<DashboardUserRow | null> {
  if (found === null || (await mac.hasValidMac(found))) return found
  const { merchantId, userId } = found
  alarm('row_tampered', { merchantId, cardId: '', requestId: '', table: 'dashboard_users', rowId: userId })
  return null
}

/** Session lifetimes and sign-in limits (docs/guides/dashboard.md). */
export interface UserSettings {
  /** A session ends after `idleMs` without a request (PCI DSS 8.2.8), and after `absoluteMs` in any case. */
  readonly idleMs: number
  readonly absoluteMs: number
  /** Failed attempts that lock a login, and for how long (PCI DSS 8.3.4). */
  readonly maxAttempts: number
  readonly lockMs: number
  /** Whether an issued password must be changed before anything else. */
  readonly mustChange: boolean
}

export const userSettings: UserSettings = Object.freeze({
  idleMs: 15 * 60_000,
  absoluteMs: 12 * 3_600_000,
  maxAttempts: 10,
  lockMs: 30 * 60_000,
  mustChange: true,
})
