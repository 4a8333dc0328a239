import {
  dashboardUsersBlockContract,
  dashboardUsersCreateContract,
  dashboardUsersDeleteContract,
  dashboardUsersListContract,
  dashboardUsersRenameContract,
  dashboardUsersResetPasswordContract,
  dashboardUsersSetRoleContract,
} from '@tessera/contract/operations/dashboard-users'

import { operation } from './operation.ts'

/** Lists the users of the merchant. An owner sees full phone numbers, to distinguish users. */
export const dashboardUsersList = operation(dashboardUsersListContract, {
  async run(_params, { merchantId }, { dashboard }) {
    const rows = await dashboard.users.list(merchantId)
    return {
      users: await Promise.all(
        rows.map(async ({ userId, phone, name, role, state, totp, mustChange, createdAt, lastSignInAt }) => {
          const passkeys = (await dashboard.users.listPasskeys({ merchantId, userId })).length
          const factors = { totp: totp !== null, passkeys, mustChangePassword: mustChange }
          return { userId, phone, name, role, state, ...factors, createdAt, lastSignInAt: lastSignInAt === 0 ? null : lastSignInAt }
        }),
      ),
    }
  },
})

/** Creates a user of the caller's merchant. */
export const dashboardUsersCreate = operation(dashboardUsersCreateContract, {
  run: ({ phone, role, name = '' }, ctx, { dashboard }) =>
    dashboard.users.create({ merchantId: ctx.merchantId, phone, role, name: name.trim() }, ctx),
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

/** Names a user. */
export const dashboardUsersRename = operation(dashboardUsersRenameContract, {
  async run({ userId, name }, ctx, { dashboard }) {
    await dashboard.users.rename({ merchantId: ctx.merchantId, userId }, name.trim(), ctx)
    return { success: true }
  },
})

/** Deletes another user. */
export const dashboardUsersDelete = operation(dashboardUsersDeleteContract, {
  async run({ userId }, ctx, { dashboard }) {
    await dashboard.users.remove({ merchantId: ctx.merchantId, userId }, ctx)
    return { success: true }
  },
})

/** Issues a one-time password. */
export const dashboardUsersResetPassword = operation(dashboardUsersResetPasswordContract, {
  run: ({ userId }, ctx, { dashboard }) => dashboard.users.resetPassword({ merchantId: ctx.merchantId, userId }, ctx),
})
