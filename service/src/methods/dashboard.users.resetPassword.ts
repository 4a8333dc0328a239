import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Issues a new password for one sign-in. */
export function dashboardUsersResetPassword({ users }: Dashboard): Row<'dashboard.users.resetPassword'>['run'] {
  return ({ userId }, call) => users.resetPassword({ merchantId: call.caller.merchantId, userId }, doerOf(call))
}
