import type { Dashboard } from '../dashboard/dashboard.ts'

import type { Row } from './method.ts'

/** Lists the users of the merchant; an owner sees their phones whole, to tell them apart. */
export function dashboardUsersList({ users }: Dashboard): Row<'dashboard.users.list'>['run'] {
  return async (_params, { caller }) => {
    const rows = await users.list(caller.merchantId)
    return {
      users: rows.map(({ userId, phone, role, state, totp, mustChange, createdAt }) => {
        return { userId, phone, role, state, totp: totp !== null, mustChangePassword: mustChange, createdAt }
      }),
    }
  }
}
