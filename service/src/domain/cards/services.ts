import type { FindRoute } from '@tessera/contract/route'
import type { Keyring } from '@tessera/vault/keyring'
import type { RowAuthenticator } from '@tessera/vault/rowmac'

import type { Clock } from '../../clock.ts'
import type { Network } from '../../adapters/network/network.ts'
import type { Store } from '../../store/store.ts'

import type { CardSettings } from './settings.ts'
import type { CardRow } from '../../store/cards.ts'

export interface CardDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly network: Network
  readonly clock: Clock
  /** `test` or `production`: in every associated data and MAC. */
  readonly environment: string
  readonly settings: CardSettings
  readonly alarm: RowAlarm
}

/** Called when a row has a wrong MAC, or cannot be read or opened. Gets ids only; must at least be logged. */
export type RowAlarm = (
  event: 'row_tampered' | 'row_broken' | 'reseal_failed',
  fields: { merchantId: string; cardId: string; requestId: string },
) => void

/** The dependencies of the functions of this folder. */
export interface CardServices extends CardDependencies {
  readonly mac: RowAuthenticator<CardRow>
  readonly findRoute: FindRoute
}
