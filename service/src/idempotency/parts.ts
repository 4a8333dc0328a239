import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'

import type { IdempotencyFigures } from './figures.ts'
import type { IdempotentCall } from './rider.ts'

/** A deed that is done once. */
export interface Deed<T> {
  readonly run: (idempotency: IdempotentCall) => Promise<T>
  /** Finds out what became of it; null where intention and outcome are one unit, so that nothing can be half done. */
  readonly settle: ((settling: Settling) => Promise<T | null>) | null
}

export interface Settling {
  /** What was claimed with. */
  readonly subject: string
  /** Whether whoever claimed it has had its time: then what is not known any more counts as done. */
  readonly isExpired: boolean
}

export interface IdempotencyParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly figures: IdempotencyFigures
}
