import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'

import type { CardsOf } from './cards.ts'

/** A card of the test environment, as the dashboard shows it. */
export interface StartCard {
  readonly number: string
  readonly sentBy: 'network' | 'us'
  readonly scenario: { readonly name: string } | null
}

/** What the page Start tells that is the same for every merchant. */
export interface StartFacts {
  readonly formOrigin: string | null
  readonly sdk: { readonly version: string; readonly integrity: string; readonly moduleIntegrity: string }
  /** Null in production. */
  readonly testing: Testing | null
}

export interface Testing {
  readonly cards: readonly StartCard[]
  /** MMYY. */
  readonly expire: string
  /** The one that every code is. */
  readonly code: string
  readonly demo: { readonly merchantId: string; readonly password: string }
}

export interface Checklist {
  readonly created: boolean
  readonly verified: boolean
  readonly paid: boolean
  readonly webhook: boolean
}

export interface Start {
  readonly facts: StartFacts
  readonly clock: Pick<Clock, 'moment'>
  /** What calls of the merchant's own have come to. */
  checklist(of: CardsOf): Promise<Checklist>
}

export interface StartParts {
  readonly store: Pick<Store, 'findTallies' | 'listEndpoints'>
  readonly clock: Pick<Clock, 'moment'>
}

export function makeStart({ store, clock }: StartParts, facts: StartFacts): Start {
  return Object.freeze<Start>({
    facts,
    clock,
    async checklist({ bucket, merchantId }) {
      const [tallies, endpoints] = await Promise.all([
        store.findTallies({ bucket, merchantId }),
        store.listEndpoints({ bucket, merchantId }),
      ])
      const has = (wanted: string): boolean => tallies.some(({ name, count }) => name === wanted && count > 0)
      return { created: has('created'), verified: has('verified'), paid: has('paid'), webhook: endpoints.length > 0 }
    },
  })
}
