import { RpcError } from '@tessera/contract/errors'
import {
  dashboardPasswordsRetireContract,
  dashboardPasswordsRenameContract,
  dashboardPasswordsRotateContract,
  dashboardSettingsChangeContract,
  dashboardSettingsGetContract,
} from '@tessera/contract/operations/dashboard-settings'

import type { Params } from '@tessera/contract/operations'
import { readMerchantPatch } from '../domain/merchants/merchant-patch.ts'

import type { RequestContext } from '../domain/request-context.ts'
import { expectAccepted } from './dashboard-caller.ts'
import { operation } from './operation.ts'

/** Returns the settings of the caller's merchant. */
export const dashboardSettingsGet = operation(dashboardSettingsGetContract, {
  async run(_params, ctx, { merchants }) {
    const { row, settings, uses } = expectAccepted(await merchants.administration.find(ctx.merchantId), ctx)
    const { origins, accountFields, minAmount, maxAmount, requireFormSessions, strictServerAuth, limits } = settings
    const { refundUnconfirmedMax, requireSecondFactor, brandColor } = settings
    const logo = await merchants.administration.findLogo(ctx.merchantId)
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
      refundUnconfirmedMaxTiyin: refundUnconfirmedMax,
      requireSecondFactor,
      brandColor,
      logo: logo === null ? null : logo.png.toString('base64'),
      limits: Object.entries({ ...limits }).map(([name, count]) => ({ name, count })),
      passwords: row.credentials.map(({ number, scope, createdAt, retiredAt, label }) => {
        return { number, scope, label, createdAt, lastUsedAt: lastUsed.get(number) ?? null, retiredAt }
      }),
    }
  },
})

/** Changes the settings that are given, by the same rules as the operator's command. */
export const dashboardSettingsChange = operation(dashboardSettingsChangeContract, {
  async run(params, ctx, { merchants }) {
    requireOwnerForSecurity(params, ctx)
    const { minAmountTiyin: minAmount, maxAmountTiyin: maxAmount, refundUnconfirmedMaxTiyin: refundUnconfirmedMax, ...others } = params
    const patch = expectAccepted(readMerchantPatch({ ...others, minAmount, maxAmount, refundUnconfirmedMax }), ctx)
    expectAccepted(await merchants.administration.change(ctx.merchantId, patch, ctx), ctx)
    return { success: true }
  },
})

/** What decides when users have to confirm who they are is changed by an owner who did so. */
function requireOwnerForSecurity(
  { refundUnconfirmedMaxTiyin, requireSecondFactor }: Params<'dashboard.settings.change'>,
  { caller: { user } }: RequestContext,
): void {
  if (refundUnconfirmedMaxTiyin === undefined && requireSecondFactor === undefined) return
  if (user?.role !== 'owner') throw new RpcError('roleTooLow')
  if (!user.isConfirmed) throw new RpcError('confirmationRequired')
}

/** Creates an API password beside those that are active. A developer cannot create one that is allowed more than the developer. */
export const dashboardPasswordsRotate = operation(dashboardPasswordsRotateContract, {
  async run({ scope, label }, ctx, { merchants }) {
    if (scope === 'full' && ctx.caller.user?.role !== 'owner') throw new RpcError('roleTooLow')
    const { merchant, password } = expectAccepted(
      await merchants.administration.rotatePassword(ctx.merchantId, { scope, label: label?.trim() }, ctx),
      ctx,
    )
    return { number: merchant.row.credentials[0]?.number ?? 0, password }
  },
})

/** Changes the label of an API password. */
export const dashboardPasswordsRename = operation(dashboardPasswordsRenameContract, {
  async run({ number, label }, ctx, { merchants }) {
    expectAccepted(await merchants.administration.renamePassword(ctx.merchantId, { number, label: label.trim() }, ctx), ctx)
    return { success: true }
  },
})

/** Retires an active API password. The last one cannot be retired. */
export const dashboardPasswordsRetire = operation(dashboardPasswordsRetireContract, {
  async run({ number }, ctx, { merchants }) {
    expectAccepted(await merchants.administration.retirePassword(ctx.merchantId, number, ctx), ctx)
    return { success: true }
  },
})
