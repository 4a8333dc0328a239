import type { GivenLogin } from '../../service/src/domain/users/ensure-login.ts'
import type { DashboardUsers } from '../../service/src/domain/users/users.ts'
import { findDashboardUserByPhone } from '../../service/src/store/dashboard-users.ts'
import type { Store } from '../../service/src/store/store.ts'

// Loaded in place of a whole module (planted-faults.ts), so it is one.

/** Looks and then creates, as if it were alone. */
async function ensureLoginAlone(store: Pick<Store, 'read'>, users: Pick<DashboardUsers, 'create'>, login: GivenLogin): Promise<void> {
  if ((await store.read(findDashboardUserByPhone(login.phone))) !== null) return
  await users.create({ ...login, role: 'owner' }, { actor: 'system', requestId: '', address: '' })
}

export { ensureLoginAlone as ensureLogin }
export type { GivenLogin } from '../../service/src/domain/users/ensure-login.ts'
