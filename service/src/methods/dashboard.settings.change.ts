import type { MerchantDeeds } from '../merchants/deeds.ts'
import { readWish } from '../merchants/wish.ts'

import { expectDone } from './merchant-deed.ts'
import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Changes what is given, by the same rules as the operator's command. */
export function dashboardSettingsChange(deeds: MerchantDeeds): Row<'dashboard.settings.change'>['run'] {
  return async ({ minAmountTiyin: minAmount, maxAmountTiyin: maxAmount, ...others }, call) => {
    const wish = expectDone(readWish({ ...others, minAmount, maxAmount }))
    expectDone(await deeds.change(call.caller.merchantId, wish, doerOf(call)))
    return { success: true }
  }
}
