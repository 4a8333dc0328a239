import { RpcError } from '@tessera/contract/errors'

import { findDashboardUserByPhone } from '../../store/dashboard-users.ts'
import type { Store } from '../../store/store.ts'

import type { DashboardUsers } from './users.ts'

/** A login with a password that is known beforehand: that of the sandbox's demo merchant. */
export interface GivenLogin {
  readonly merchantId: string
  readonly phone: string
  readonly password: string
}

/** Creates the login unless its phone has one. Several processes may do so at once when they start on the same empty database: one of them creates it. */
export async function ensureLogin(store: Pick<Store, 'read'>, users: Pick<DashboardUsers, 'create'>, login: GivenLogin): Promise<void> {
  if ((await store.read(findDashboardUserByPhone(login.phone))) !== null) return
  try {
    await users.create({ ...login, role: 'owner' }, { actor: 'system', requestId: '', address: '' })
  } catch (err) {
    if (!isCreatedElsewhere(err)) throw err
  }
}

function isCreatedElsewhere(err: unknown): boolean {
  return err instanceof RpcError && err.entry === 'phoneTaken'
}
