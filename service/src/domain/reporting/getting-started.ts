import type { Clock } from '../../clock.ts'
import { listAllTimeCounters } from '../../store/counters.ts'
import type { Store } from '../../store/store.ts'
import { listEndpoints } from '../../store/webhook-endpoints.ts'

import { triedCounter } from './call-counters.ts'
import type { MerchantCardsKey } from './cards.ts'

/** A test card, as shown in the dashboard. */
export interface StartCard {
  readonly number: string
  readonly sentBy: 'network' | 'us'
  readonly scenario: { readonly name: string } | null
}

/** Details of the Start page that are the same for every merchant. */
export interface GettingStartedDetails {
  readonly formOrigin: string | null
  readonly sdk: { readonly version: string; readonly integrity: string; readonly moduleIntegrity: string }
  /** Null in production. */
  readonly testing: TestCredentials | null
}

export interface TestCredentials {
  readonly cards: readonly StartCard[]
  /** MMYY. */
  readonly expire: string
  /** The fixed SMS code of the test environment. */
  readonly code: string
  readonly demo: { readonly merchantId: string; readonly password: string }
}

export interface GettingStartedChecklist {
  readonly created: StepProgress
  readonly verified: StepProgress
  readonly paid: StepProgress
  readonly webhook: StepProgress
}

/** `tried`: by a test payment of the dashboard, and not yet by a call of the merchant's own. */
export type StepProgress = 'done' | 'tried' | 'open'

export interface GettingStartedGuide {
  readonly details: GettingStartedDetails
  readonly clock: Pick<Clock, 'moment'>
  /** How far the merchant has come. */
  checklist(of: MerchantCardsKey): Promise<GettingStartedChecklist>
}

export interface GettingStartedDependencies {
  readonly store: Pick<Store, 'read'>
  readonly clock: Pick<Clock, 'moment'>
}

export function makeGettingStarted({ store, clock }: GettingStartedDependencies, details: GettingStartedDetails): GettingStartedGuide {
  return Object.freeze<GettingStartedGuide>({
    details,
    clock,
    async checklist({ bucket, merchantId }) {
      const [counters, endpoints] = await Promise.all([
        store.read(listAllTimeCounters({ bucket, merchantId })),
        store.read(listEndpoints({ bucket, merchantId })),
      ])
      const has = (wanted: string): boolean => counters.some(({ name, count }) => name === wanted && count > 0)
      const progressOf = (step: string): StepProgress => (has(step) ? 'done' : has(triedCounter(step)) ? 'tried' : 'open')
      return {
        created: progressOf('created'),
        verified: progressOf('verified'),
        paid: progressOf('paid'),
        webhook: endpoints.length > 0 ? 'done' : 'open',
      }
    },
  })
}
