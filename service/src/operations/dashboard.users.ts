import {
  dashboardUsersBlockContract,
  dashboardUsersCreateContract,
  dashboardUsersListContract,
  dashboardUsersResetPasswordContract,
  dashboardUsersSetRoleContract,
} from '@tessera/contract/operations/dashboard-users'

import { operation } from './operation.ts'

/** Lists the users of the merchant. An owner sees full phone numbers, to distinguish users. */
export const dashboardUsersList = operation(dashboardUsersListContract, {
  async run(_params, { merchantId }, { dashboard }) {
    const rows = await dashboard.users.list(merchantId)
    return {
      users: rows.map(({ userId, phone, role, state, totp, mustChange, createdAt }) => {
        return { userId, phone, role, state, totp: totp !== null, mustChangePassword: mustChange, createdAt }
      }),
    }
  },
})

/** Creates a user of the caller's merchant. */
export const dashboardUsersCreate = operation(dashboardUsersCreateContract, {
  run: ({ phone, role }, ctx, { dashboard }) => dashboard.users.create({ merchantId: ctx.merchantId, phone, role }, ctx),
})

/** Changes the role of a user. */
export const dashboardUsersSetRole = operation(dashboardUsersSetRoleContract, {
  async run({ userId, role }, ctx, { dashboard }) {
    await dashboard.users.setRole({ merchantId: ctx.merchantId, userId }, role, ctx)
    return { success: true }
  },
})

/** Blocks or unblocks a user. */
export const dashboardUsersBlock = operation(dashboardUsersBlockContract, {
  async run({ userId, blocked }, ctx, { dashboard }) {
    await dashboard.users.setBlocked({ merchantId: ctx.merchantId, userId }, blocked, ctx)
    return { success: true }
  },
})

/** Issues a one-time password. */
export const dashboardUsersResetPassword = operation(dashboardUsersResetPasswordContract, {
  run: ({ userId }, ctx, { dashboard }) => dashboard.users.resetPassword({ merchantId: ctx.merchantId, userId }, ctx),
})
