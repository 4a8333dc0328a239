import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { ownOf } from './signed-in.ts'

/** Changes the user's own password. */
export function dashboardPasswordChange({ users }: Dashboard): Row<'dashboard.password.change'>['run'] {
  return async ({ password, newPassword }, call) => {
    await users.changePassword(ownOf(call), password, newPassword)
    return { success: true }
  }
}
