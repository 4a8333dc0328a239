import type { Keyring } from '@tessera/vault/keyring'
import { makeRowAuthenticator, type MacField, type RowAuthenticator } from '@tessera/vault/rowmac'

import type { DashboardUserRow } from '../../store/dashboard-users.ts'

/** Authenticates user rows: write access to the database is not enough to add a login or a role. */
export type UserMac = RowAuthenticator<DashboardUserRow>

export function makeUserMac(keyring: Keyring, environment: string): UserMac {
  return makeRowAuthenticator(keyring, { table: 'dashboard_users', environment, fieldsOf })
}

/** All columns that grant access. Attempt counters are left out. */
function fieldsOf(user: DashboardUserRow): readonly MacField[] {
  const { userId, merchantId, phone, role, state, version, verifier, mustChange, totp, createdAt } = user
  return [userId, merchantId, phone, role, state, version, verifier, mustChange, totp, createdAt]
}
