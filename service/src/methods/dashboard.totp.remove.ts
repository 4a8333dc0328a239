import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { ownOf } from './signed-in.ts'

/** Turns the second factor off. */
export function dashboardTotpRemove({ users }: Dashboard): Row<'dashboard.totp.remove'>['run'] {
  return async ({ password, code }, call) => {
    await users.removeTotp(ownOf(call), password, code)
    return { success: true }
  }
}
