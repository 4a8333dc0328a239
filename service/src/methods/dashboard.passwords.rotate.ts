import type { MerchantDeeds } from '../merchants/deeds.ts'

import { expectDone } from './merchant-deed.ts'
import type { Row } from './method.ts'
import { doerOf } from './signed-in.ts'

/** Makes a second API password beside the one that is live. */
export function dashboardPasswordsRotate(deeds: MerchantDeeds): Row<'dashboard.passwords.rotate'>['run'] {
  return async (_params, call) => {
    const { merchant, password } = expectDone(await deeds.rotatePassword(call.caller.merchantId, doerOf(call)))
    return { number: merchant.row.credentials[0]?.number ?? 0, password }
  }
}
