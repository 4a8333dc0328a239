import type { FindRoute } from '@tessera/contract/route'
import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { Network } from '../network/network.ts'
import type { Store } from '../store/store.ts'

import type { CardFigures } from './figures.ts'
import type { CardMac } from './mac.ts'

export interface CardParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly network: Network
  readonly clock: Clock
  /** `test` or `production`: in every associated data and MAC. */
  readonly environment: string
  readonly figures: CardFigures
  readonly alarm: Alarm
}

/** Told when a row is not as we wrote it, or cannot be read or opened. Ids only; to be logged at least. */
export type Alarm = (
  event: 'row_tampered' | 'row_broken' | 'reseal_failed',
  fields: { merchantId: string; cardId: string; requestId: string },
) => void

/** What the deeds of this folder work with. */
export interface CardTools extends CardParts {
  readonly mac: CardMac
  readonly findRoute: FindRoute
}
