import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Blocks a user, or takes that back. */
export function dashboardUsersBlock({ users }: Dashboard): Row<'dashboard.users.block'>['run'] {
  return async ({ userId, blocked }, call) => {
    await users.setBlocked({ merchantId: call.caller.merchantId, userId }, blocked, doerOf(call))
    return { success: true }
  }
}
