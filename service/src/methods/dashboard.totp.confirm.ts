import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'
import { ownOf } from './signed-in.ts'

/** Turns the second factor on. */
export function dashboardTotpConfirm({ users }: Dashboard): Row<'dashboard.totp.confirm'>['run'] {
  return async ({ code }, call) => {
    await users.confirmTotp(ownOf(call), code)
    return { success: true }
  }
}
