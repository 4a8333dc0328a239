import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import type { Store } from '../../store/store.ts'

import type { IdempotencyHandle } from './handle.ts'
import type { IdempotencySettings } from './settings.ts'

export interface IdempotencyDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly settings: IdempotencySettings
}

/** An operation that is executed once. */
export interface IdempotentOperation<T> {
  readonly run: (handle: IdempotencyHandle<object>) => Promise<T>
  /** Finds the outcome of a claim that has none yet; null where claim and outcome are one transaction, so that nothing can be half done. */
  readonly reconcile: ((claim: UnansweredClaim) => Promise<T | null>) | null
}

/** A key that was claimed by a request which stored no outcome. */
export interface UnansweredClaim {
  /** The id that was claimed with. */
  readonly subject: string
  /** The request has had its time; what is not known by now is not going to be. */
  readonly isExpired: boolean
}
