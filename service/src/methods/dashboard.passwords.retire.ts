import type { MerchantDeeds } from '../merchants/deeds.ts'

import { expectDone } from './merchant-deed.ts'
import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Ends a live API password; the last one stays. */
export function dashboardPasswordsRetire(deeds: MerchantDeeds): Row<'dashboard.passwords.retire'>['run'] {
  return async ({ number }, call) => {
    expectDone(await deeds.retirePassword(call.caller.merchantId, number, doerOf(call)))
    return { success: true }
  }
}
