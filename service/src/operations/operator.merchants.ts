import type { Result } from '@tessera/contract/operations'
import {
  operatorEndpointsRemoveContract,
  operatorEndpointsSetContract,
  operatorEndpointsTestContract,
  operatorMerchantsBlockContract,
  operatorMerchantsChangeContract,
  operatorMerchantsCreateContract,
  operatorMerchantsGetContract,
  operatorMerchantsListContract,
  operatorMerchantsUnblockContract,
  operatorPasswordsRetireContract,
  operatorPasswordsRotateContract,
} from '@tessera/contract/operations/operator-merchants'

import type { MerchantListItem } from '../domain/merchants/administration.ts'
import { toMerchant, type Merchant } from '../domain/merchants/merchant-cache.ts'
import { readMerchantPatch } from '../domain/merchants/merchant-patch.ts'
import type { CredentialUse } from '../store/merchants.ts'

import { operation } from './operation.ts'
import { expectAllowed, isoTime, withMerchantRow } from './operator.ts'

/** Creates a merchant. Its password is returned only in this result. */
export const operatorMerchantsCreate = operation(operatorMerchantsCreateContract, {
  async run({ patch }, ctx, { merchants }) {
    const { merchant, password } = expectAllowed(await merchants.administration.create(expectAllowed(readMerchantPatch(patch)), ctx))
    return { ...toMerchantView(merchant), password }
  },
})

/** Lists the merchants in the order of their ids. */
export const operatorMerchantsList = operation(operatorMerchantsListContract, {
  async run({ after, count }, _ctx, { merchants }) {
    return { merchants: (await merchants.administration.list(after, count)).map(toMerchantItem) }
  },
})

/** Returns the settings of a merchant and the dates of its passwords. */
export const operatorMerchantsGet = operation(operatorMerchantsGetContract, {
  async run({ merchantId }, _ctx, { merchants }) {
    const merchant = await withMerchantRow(merchantId, () => merchants.administration.find(merchantId))
    return toMerchantView(merchant, merchant.uses)
  },
})

/** Changes the settings that are given. */
export const operatorMerchantsChange = operation(operatorMerchantsChangeContract, {
  async run({ merchantId, patch }, ctx, { merchants }) {
    const read = expectAllowed(readMerchantPatch(patch))
    return toMerchantView(await withMerchantRow(merchantId, () => merchants.administration.change(merchantId, read, ctx)))
  },
})

/** Blocks a merchant. Requests in progress are completed, and its events are delivered. */
export const operatorMerchantsBlock = operation(operatorMerchantsBlockContract, {
  async run({ merchantId }, ctx, { merchants }) {
    return toMerchantView(await withMerchantRow(merchantId, () => merchants.administration.block(merchantId, ctx)))
  },
})

/** Unblocks a merchant. */
export const operatorMerchantsUnblock = operation(operatorMerchantsUnblockContract, {
  async run({ merchantId }, ctx, { merchants }) {
    return toMerchantView(await withMerchantRow(merchantId, () => merchants.administration.unblock(merchantId, ctx)))
  },
})

/** Creates a password beside those that are active. */
export const operatorPasswordsRotate = operation(operatorPasswordsRotateContract, {
  async run({ merchantId, scope = 'full' }, ctx, { merchants }) {
    const { merchant, password } = await withMerchantRow(merchantId, () =>
      merchants.administration.rotatePassword(merchantId, { scope }, ctx),
    )
    return { ...toMerchantView(merchant), password }
  },
})

/** Retires an active password: the older of two, unless one is named. The last one of the scope `full` cannot be retired. */
export const operatorPasswordsRetire = operation(operatorPasswordsRetireContract, {
  async run({ merchantId, number = null }, ctx, { merchants }) {
    return toMerchantView(await withMerchantRow(merchantId, () => merchants.administration.retirePassword(merchantId, number, ctx)))
  },
})

/** Sets the merchant's own server. Its password is never returned. */
export const operatorEndpointsSet = operation(operatorEndpointsSetContract, {
  async run({ merchantId, ...patch }, ctx, { merchantEndpoints }) {
    return toEndpointView(expectAllowed(await merchantEndpoints.set(merchantId, patch, ctx)))
  },
})

/** Removes the merchant's own server. */
export const operatorEndpointsRemove = operation(operatorEndpointsRemoveContract, {
  async run({ merchantId }, ctx, { merchantEndpoints }) {
    return toEndpointView(expectAllowed(await merchantEndpoints.remove(merchantId, ctx)))
  },
})

/** Calls `check` of the merchant's own server with a payment that is not made. */
export const operatorEndpointsTest = operation(operatorEndpointsTestContract, {
  async run(payment, _ctx, { merchantEndpoints }) {
    return { merchantId: payment.merchantId, ...expectAllowed(await merchantEndpoints.test(payment)) }
  },
})

function toMerchantView({ row, settings }: Merchant, uses: readonly CredentialUse[] = []): Result<'operator.merchants.get'> {
  const { id, state, name, organization, address, version, createdAt } = row
  const passwords = row.credentials.map(({ number, scope, createdAt: passwordCreatedAt, retiredAt }) => {
    const lastUsedAt = uses.find((use) => use.number === number)?.lastUsedAt ?? null
    return {
      number,
      scope,
      createdAt: isoTime(passwordCreatedAt),
      lastUsedAt: isoTimeOrNull(lastUsedAt),
      retiredAt: isoTimeOrNull(retiredAt),
    }
  })
  const { origins, accountFields, limits, endpoint, ...others } = settings
  return {
    merchantId: id,
    state,
    name,
    organization,
    address,
    ...others,
    origins: [...origins],
    accountFields: accountFields.map((field) => ({ ...field })),
    limits: { ...limits },
    endpoint: endpoint === null ? null : { url: endpoint.url, login: endpoint.login },
    version,
    createdAt: isoTime(createdAt),
    passwords,
  }
}

function toMerchantItem({ row, hasValidMac }: MerchantListItem) {
  if ('brokenAt' in row) return { merchantId: row.id, name: '', businessId: '', state: `broken at column ${row.brokenAt}`, createdAt: null }
  const businessId = hasValidMac ? toMerchant(row).settings.businessId : ''
  return { merchantId: row.id, name: row.name, businessId, state: hasValidMac ? row.state : 'tampered', createdAt: isoTime(row.createdAt) }
}

function toEndpointView({ row, settings: { endpoint } }: Merchant): Result<'operator.endpoints.set'> {
  return { merchantId: row.id, endpoint: endpoint === null ? null : { url: endpoint.url, login: endpoint.login } }
}

function isoTimeOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at)
}
