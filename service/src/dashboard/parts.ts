import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { AuditNote, DashboardUserRow, Store } from '../store/store.ts'

import type { DashboardFigures } from './figures.ts'
import type { Passwords } from './passwords.ts'
import type { UserMac } from './user-mac.ts'

export interface DashboardParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly figures: DashboardFigures
  readonly passwords: Passwords
  /** Told when a row is not as we wrote it. */
  readonly alarm: (event: 'row_tampered', fields: { merchantId: string; cardId: string; requestId: string; receiptId?: string }) => void
}

/** What the deeds of this folder work with. */
export interface DashboardTools extends DashboardParts {
  readonly mac: UserMac
}

/** Who does something to a user, and by which request. */
export interface Doer {
  /** `user:<id>`, `operator`, `system`. */
  readonly actor: string
  readonly requestId: string
}

export interface UserOf {
  readonly merchantId: string
  readonly userId: string
}

/** A user who does something with what is his own, in this session. */
export interface Own extends UserOf {
  readonly sessionId: string
  readonly requestId: string
}

/** The audit note of a deed on a user; `left` is the row it leaves, and its phone is not told. */
export function noteUser(left: DashboardUserRow, doer: Doer, deed: Pick<AuditNote, 'at' | 'action' | 'outcome'>): AuditNote {
  const { merchantId, userId, version, mac } = left
  return { ...deed, ...doer, merchantId, subject: userId, version, mac }
}

/** The audit note of a deed that leaves the user's row as it is. */
export function noteVisit(of: DashboardUserRow, doer: Doer, deed: Pick<AuditNote, 'at' | 'action' | 'outcome'>): AuditNote {
  return { ...noteUser(of, doer, deed), version: 0, mac: new Uint8Array(0) }
}

/** Reads a user whose row is as we wrote it; null where there is none or it is not. */
export async function trueUser({ mac, alarm }: DashboardTools, found: DashboardUserRow | null): Promise<DashboardUserRow | null> {
  if (found === null || (await mac.isTrue(found))) return found
  alarm('row_tampered', { merchantId: found.merchantId, cardId: '', requestId: '' })
  return null
}
