import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Gives a user another role. */
export function dashboardUsersSetRole({ users }: Dashboard): Row<'dashboard.users.setRole'>['run'] {
  return async ({ userId, role }, call) => {
    await users.setRole({ merchantId: call.caller.merchantId, userId }, role, doerOf(call))
    return { success: true }
  }
}
