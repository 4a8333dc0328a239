import type { MerchantDeeds } from '../merchants/deeds.ts'

import { expectDone } from './merchant-deed.ts'
import type { Row } from './method.ts'

/** Tells what is agreed with the caller's merchant. */
export function dashboardSettingsGet(deeds: MerchantDeeds): Row<'dashboard.settings.get'>['run'] {
  return async (_params, { caller }) => {
    const { row, settings, uses } = expectDone(await deeds.find(caller.merchantId))
    const { origins, accountFields, minAmount, maxAmount, requireFormSessions, strictServerAuth, limits } = settings
    const used = new Map(uses.map(({ number, lastUsedAt }) => [number, lastUsedAt]))
    return {
      ...{ merchantId: row.id, name: row.name, organization: row.organization, address: row.address },
      ...{ origins: [...origins], accountFields: [...accountFields], minAmountTiyin: minAmount, maxAmountTiyin: maxAmount },
      ...{ requireFormSessions, strictServerAuth },
      limits: Object.entries({ ...limits }).map(([name, count]) => ({ name, count })),
      passwords: row.credentials.map(({ number, createdAt, retiredAt }) => {
        return { number, createdAt, lastUsedAt: used.get(number) ?? null, retiredAt }
      }),
    }
  }
}
