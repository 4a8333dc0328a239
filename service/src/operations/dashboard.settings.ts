import { RpcError } from '@tessera/contract/errors'
import {
  dashboardPasswordsRetireContract,
  dashboardPasswordsRotateContract,
  dashboardSettingsChangeContract,
  dashboardSettingsGetContract,
} from '@tessera/contract/operations/dashboard-settings'

import { readMerchantPatch } from '../domain/merchants/merchant-patch.ts'

import { expectAccepted } from './dashboard-caller.ts'
import { operation } from './operation.ts'

/** Returns the settings of the caller's merchant. */
export const dashboardSettingsGet = operation(dashboardSettingsGetContract, {
  async run(_params, ctx, { merchants }) {
    const { row, settings, uses } = expectAccepted(await merchants.administration.find(ctx.merchantId), ctx)
    const { origins, accountFields, minAmount, maxAmount, requireFormSessions, strictServerAuth, limits } = settings
    const lastUsed = new Map(uses.map(({ number, lastUsedAt }) => [number, lastUsedAt]))
    return {
      merchantId: row.id,
      name: row.name,
      organization: row.organization,
      address: row.address,
      origins: [...origins],
      accountFields: [...accountFields],
      minAmountTiyin: minAmount,
      maxAmountTiyin: maxAmount,
      requireFormSessions,
      strictServerAuth,
      limits: Object.entries({ ...limits }).map(([name, count]) => ({ name, count })),
      passwords: row.credentials.map(({ number, scope, createdAt, retiredAt }) => {
        return { number, scope, createdAt, lastUsedAt: lastUsed.get(number) ?? null, retiredAt }
      }),
    }
  },
})

/** Changes the settings that are given, by the same rules as the operator's command. */
export const dashboardSettingsChange = operation(dashboardSettingsChangeContract, {
  async run({ minAmountTiyin: minAmount, maxAmountTiyin: maxAmount, ...others }, ctx, { merchants }) {
    const patch = expectAccepted(readMerchantPatch({ ...others, minAmount, maxAmount }), ctx)
    expectAccepted(await merchants.administration.change(ctx.merchantId, patch, ctx), ctx)
    return { success: true }
  },
})

/** Creates an API password beside those that are active. A developer cannot create one that is allowed more than the developer. */
export const dashboardPasswordsRotate = operation(dashboardPasswordsRotateContract, {
  async run({ scope }, ctx, { merchants }) {
    if (scope === 'full' && ctx.caller.user?.role !== 'owner') throw new RpcError('roleTooLow')
    const { merchant, password } = expectAccepted(await merchants.administration.rotatePassword(ctx.merchantId, scope, ctx), ctx)
    return { number: merchant.row.credentials[0]?.number ?? 0, password }
  },
})

/** Retires an active API password. The last one cannot be retired. */
export const dashboardPasswordsRetire = operation(dashboardPasswordsRetireContract, {
  async run({ number }, ctx, { merchants }) {
    expectAccepted(await merchants.administration.retirePassword(ctx.merchantId, number, ctx), ctx)
    return { success: true }
  },
})
