import type { MerchantApi } from '../../service/src/adapters/merchant-api/merchant-api.ts'
import { observeMerchantApi as observeReal, type ObservedMerchantApiOptions } from '../../service/src/adapters/merchant-api/observed.ts'

/** Reports a payment as performed at the merchant without calling it. */
function observeUncalledMerchantApi(options: ObservedMerchantApiOptions): MerchantApi {
  return Object.freeze({ ...observeReal(options), perform: () => Promise.resolve({ kind: 'agreed' as const }) })
}

export { observeUncalledMerchantApi as observeMerchantApi }
export type { MerchantApiCall } from '../../service/src/adapters/merchant-api/observed.ts'
