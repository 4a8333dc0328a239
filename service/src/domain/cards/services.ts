import { makeFindRoute, type FindRoute } from '@tessera/contract/route'
import type { Keyring } from '@tessera/vault/keyring'

import type { RowFreshness } from '../freshness/row-freshness.ts'
import type { Clock } from '../../clock.ts'
import type { Networks } from '../networks.ts'
import type { Store } from '../../store/store.ts'
import { cardsTable, type CardRow } from '../../store/cards.ts'
import { type EventRow, outboxTable } from '../../store/outbox.ts'
import type { Config } from '../../ops/config/config.ts'
import { makeVerifiedRows, type VerifiedRows } from '../verified-rows.ts'

export interface CardDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly networks: Networks
  readonly clock: Clock
  /** `test` or `production`: in every associated data and MAC. */
  readonly environment: string
  readonly settings: CardSettings
  readonly alarm: RowAlarm
  readonly freshness?: RowFreshness | undefined
}

/** Called when a row has a wrong MAC, or cannot be read or opened. Gets ids only; must at least be logged. */
export type RowAlarm = (
  event: 'row_tampered' | 'row_broken' | 'reseal_failed',
  fields: { merchantId: string; cardId: string; requestId: string; table?: string },
) => void

/** The dependencies of the functions of this folder, the first parameter of each. */
export interface CardServices extends CardDependencies {
  readonly rows: VerifiedRows<CardRow>
  readonly eventRows: VerifiedRows<EventRow>
  readonly findRoute: FindRoute
}

export function createCardServices(deps: CardDependencies): CardServices {
  return Object.freeze({
    ...deps,
    rows: makeVerifiedRows(deps, cardsTable),
    eventRows: makeVerifiedRows(deps, outboxTable),
    findRoute: makeFindRoute(deps.networks.routes),
  })
}

/** Lifetimes of cards and the timeout of the card network. */
export interface CardSettings {
  /** Lifetime of a token that is not verified. */
  readonly unverifiedLifetimeMs: number
  /** Lifetime of a verified token that was created without `save`, from its verification. */
  readonly oneTimeLifetimeMs: number
  readonly networkTimeoutMs: number
}

export function cardSettings(config: Config): CardSettings {
  return {
    unverifiedLifetimeMs: config.unverifiedLifetimeMinutes * 60_000,
    oneTimeLifetimeMs: config.oneTimeLifetimeHours * 3_600_000,
    networkTimeoutMs: config.networkTimeoutMs,
  }
}
