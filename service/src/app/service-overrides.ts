import type { MerchantApi } from '../adapters/merchant-api/merchant-api.ts'
import type { CardSettings } from '../domain/cards/services.ts'
import type { FetchPage } from '../domain/page-check/fetch-page.ts'
import type { FetchScript } from '../domain/page-check/fetch-script.ts'
import type { ParsePage } from '../domain/page-check/parse-page.ts'
import type { PaymentSettings } from '../domain/payments/settings.ts'
import type { VerificationSettings } from '../domain/verification/settings.ts'

import type { LimitSet } from './limits.ts'
import type { Storage } from './storage.ts'

/** Replacements for tests. The service itself sets none of them. */
export interface ServiceOverrides {
  readonly cards?: Partial<CardSettings>
  readonly verification?: Partial<VerificationSettings>
  readonly payments?: Partial<PaymentSettings>
  readonly limits?: (deps: Pick<Storage, 'keyring'>) => Partial<LimitSet>
  readonly merchantEndpoint?: MerchantApi
  /** Binary logarithm of scrypt's N. */
  readonly passwordCost?: number
  readonly pageCheck?: { readonly fetchPage: FetchPage; readonly fetchScript?: FetchScript; readonly parse: ParsePage }
  /** Leaves the refund of a cancelled receipt to the next round of the worker. */
  readonly refundsInBackgroundOnly?: boolean
}
