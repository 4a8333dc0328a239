import { KeyDestroyed, KeyUnknown, type Keyring } from '@tessera/vault/keyring'
import { isRowMacOf, macKeyIdOf, makeRowMac, type MacField } from '@tessera/vault/rowmac'

import type { DashboardUserRow } from '../store/store.ts'

/** Makes and checks the MAC of users' rows: nobody who merely writes the database gives himself a login or a role. */
export interface UserMac {
  /** The same row with its MAC. */
  seal(user: DashboardUserRow): Promise<DashboardUserRow>
  isTrue(user: DashboardUserRow): Promise<boolean>
}

export function makeUserMac(keyring: Keyring, environment: string): UserMac {
  return Object.freeze({
    async seal(user: DashboardUserRow) {
      return { ...user, mac: makeRowMac(await keyring.active('row_mac'), table, environment, fieldsOf(user)) }
    },
    async isTrue(user: DashboardUserRow) {
      try {
        const dek = await keyring.byId(macKeyIdOf(user.mac))
        return dek.purpose === 'row_mac' && isRowMacOf(dek, user.mac, table, environment, fieldsOf(user))
      } catch (err) {
        if (err instanceof KeyUnknown || err instanceof KeyDestroyed) return false
        throw err
      }
    },
  })
}

/** Everything that decides; counts of tries are not among it. */
function fieldsOf(user: DashboardUserRow): readonly MacField[] {
  const { userId, merchantId, phone, role, state, version, verifier, mustChange, totp, createdAt } = user
  return [userId, merchantId, phone, role, state, version, verifier, mustChange, totp, createdAt]
}

const table = 'dashboard_users'
