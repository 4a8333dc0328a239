import type { Keyring } from '@tessera/vault/keyring'
import { makeRowMacs, type MacField, type RowMacs } from '@tessera/vault/rowmac'

import type { DashboardUserRow } from '../store/store.ts'

/** Nobody who merely writes the database gives himself a login or a role. */
export type UserMac = RowMacs<DashboardUserRow>

export function makeUserMac(keyring: Keyring, environment: string): UserMac {
  return makeRowMacs(keyring, { table: 'dashboard_users', environment, fieldsOf })
}

/** Everything that decides; counts of tries are not among it. */
function fieldsOf(user: DashboardUserRow): readonly MacField[] {
  const { userId, merchantId, phone, role, state, version, verifier, mustChange, totp, createdAt } = user
  return [userId, merchantId, phone, role, state, version, verifier, mustChange, totp, createdAt]
}
