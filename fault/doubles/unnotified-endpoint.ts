import type { MerchantApi } from '../../service/src/adapters/merchant-api/merchant-api.ts'
import {
  observeMerchantApi as observeReal,
  type ObserveMerchantApiOptions,
} from '../../service/src/adapters/merchant-api/observe-merchant-api.ts'

/** Reports a payment as performed at the merchant without calling it. */
function observeUncalledMerchantApi(options: ObserveMerchantApiOptions): MerchantApi {
  return Object.freeze({ ...observeReal(options), perform: () => Promise.resolve({ kind: 'agreed' as const }) })
}

export { observeUncalledMerchantApi as observeMerchantApi }
export type { MerchantApiCall } from '../../service/src/adapters/merchant-api/observe-merchant-api.ts'
