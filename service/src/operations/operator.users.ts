import {
  operatorUsersBlockContract,
  operatorUsersCreateContract,
  operatorUsersListContract,
  operatorUsersResetPasswordContract,
} from '@tessera/contract/operations/operator-users'

import { operation } from './operation.ts'
import { requireMerchant } from './operator.ts'

/** Creates a user of the dashboard. Its password is returned only in this result. */
export const operatorUsersCreate = operation(operatorUsersCreateContract, {
  async run({ merchantId, phone, role }, ctx, app) {
    await requireMerchant(merchantId, app)
    return { merchantId, phone, role, ...(await app.dashboard.users.create({ merchantId, phone, role }, ctx)) }
  },
})

/** Lists the users of a merchant. */
export const operatorUsersList = operation(operatorUsersListContract, {
  async run({ merchantId }, _ctx, app) {
    await requireMerchant(merchantId, app)
    const rows = await app.dashboard.users.list(merchantId)
    return {
      merchantId,
      users: rows.map(({ userId, phone, role, state, totp, mustChange }) => {
        return { userId, phone, role, state, totp: totp !== null, mustChangePassword: mustChange }
      }),
    }
  },
})

/** Blocks or unblocks a user. */
export const operatorUsersBlock = operation(operatorUsersBlockContract, {
  async run({ merchantId, userId, blocked }, ctx, app) {
    await requireMerchant(merchantId, app)
    await app.dashboard.users.setBlocked({ merchantId, userId }, blocked, ctx)
    return { merchantId, userId, state: blocked ? 'blocked' : 'active' }
  },
})

/** Issues a one-time password. */
export const operatorUsersResetPassword = operation(operatorUsersResetPasswordContract, {
  async run({ merchantId, userId }, ctx, app) {
    await requireMerchant(merchantId, app)
    return { merchantId, ...(await app.dashboard.users.resetPassword({ merchantId, userId }, ctx)) }
  },
})
