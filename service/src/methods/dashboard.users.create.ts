import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Makes a user of the caller's merchant. */
export function dashboardUsersCreate({ users }: Dashboard): Row<'dashboard.users.create'>['run'] {
  return ({ phone, role }, call) => users.create({ merchantId: call.caller.merchantId, phone, role }, doerOf(call))
}
