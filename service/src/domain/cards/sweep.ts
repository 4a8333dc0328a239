import type { Keyring } from '@tessera/vault/keyring'

import type { RowFreshness } from '../freshness/row-freshness.ts'
import type { Clock } from '../../clock.ts'
import {
  type CardChange,
  type CardEndCursor,
  type CardRow,
  type ListedCard,
  listEndedCards,
  listSavedCards,
  sweepCards,
  cardsTable,
} from '../../store/cards.ts'
import type { ClockGuard } from '../clock-guard.ts'
import { type EventRow, outboxTable } from '../../store/outbox.ts'
import { deleteOldLimits } from '../../store/send-limits.ts'
import { deleteInPages, type Store } from '../../store/store.ts'

import { makeVerifiedRows, type VerifiedRows } from '../verified-rows.ts'
import { changeAtPace, maxBatchRows, type WorkPace } from '../work-pace.ts'

import { makeCardQuarantine, type CardQuarantine } from './quarantine.ts'
import { changeCards } from './change-batch.ts'
import { cardEvent, extrasWithEvent, systemCardChangeEntry } from './change-records.ts'
import { expiredCard, shouldNotifyMerchant, expiredCardsEndBefore, shreddedCard } from './lifecycle.ts'
import type { RowAlarm } from './services.ts'

export interface CardSweeper {
  /**
   * Marks saved cards whose expiry has passed, deletes the numbers of cards whose lifetime is over, and deletes old limit rows. Returns the number
   * of deleted card numbers. Call it about once a minute; it ends when nothing is left, and `stopping` ends it between two pages. With a pace it
   * pauses between them. Does nothing while the clock is not trusted.
   */
  runOnce(stopping?: AbortSignal, pace?: WorkPace): Promise<number>
  /** Cards that this process has marked as expired, and whose numbers it has deleted. */
  sweptCounts(): { readonly expired: number; readonly ended: number }
}

export interface CardSweeperDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly clockGuard: Pick<ClockGuard, 'isTrusted'>
  readonly environment: string
  readonly alarm: RowAlarm
  readonly freshness?: RowFreshness | undefined
}

export function makeCardSweeper(deps: CardSweeperDependencies): CardSweeper {
  const base = {
    ...deps,
    rows: makeVerifiedRows(deps, cardsTable),
    eventRows: makeVerifiedRows(deps, outboxTable),
    quarantine: makeCardQuarantine(deps.alarm),
  }
  const counts = { expired: 0, ended: 0 }
  return Object.freeze({
    sweptCounts: () => ({ ...counts }),
    async runOnce(stopping?: AbortSignal, pace?: WorkPace) {
      const { store, keyring, clock, clockGuard } = deps
      const services = { ...base, stopping, pace, counts }
      const limitsBefore = clock.now() - limitsRetentionMs
      if (!clockGuard.isTrusted()) return 0
      await deleteInPages(store, deleteOldLimits, limitsBefore, stopping)
      await keyring.destroyExpired()
      await sweepPages(services, 'expired', (after) => store.read(listSavedCards(expiredCardsEndBefore(clock.now()), maxBatchRows, after)))
      return sweepPages(services, 'ended', (after) => store.read(listEndedCards(clock.now(), maxBatchRows, after)))
    },
  })
}

interface SweepServices extends CardSweeperDependencies {
  readonly rows: VerifiedRows<CardRow>
  readonly eventRows: VerifiedRows<EventRow>
  readonly quarantine: CardQuarantine
  readonly stopping: AbortSignal | undefined
  readonly pace: WorkPace | undefined
  readonly counts: Record<SweepWork, number>
}

type SweepWork = 'expired' | 'ended'

type CardTransition = (card: CardRow, now: number) => { readonly next: CardRow; readonly action: string; readonly outcome: string }

const transitions: Readonly<Record<SweepWork, CardTransition>> = {
  expired: (card) => ({ next: expiredCard(card), action: 'card.expired', outcome: 'stored' }),
  ended: (card, now) => ({ next: shreddedCard(card, 'ended', now), action: 'card.ended', outcome: 'shredded' }),
}

/**
 * Applies a transition to each listed card, page by page. Rows that cannot be read are skipped, and a batch of which another process changes a card at that
 * moment: it sweeps the same cards, and this one goes on behind them. What both left is found by the next run. Returns how many cards changed.
 */
async function sweepPages(
  services: SweepServices,
  work: SweepWork,
  list: (after?: CardEndCursor) => Promise<ListedCard[]>,
): Promise<number> {
  let changed = 0
  let last: ListedCard | undefined
  while (services.stopping?.aborted !== true && services.clockGuard.isTrusted()) {
    const cards = await list(last)
    const toChange = (card: CardRow): Promise<CardChange | null> => makeTransition(services, card, transitions[work])
    const changeBatch = (batch: readonly CardRow[]): Promise<number> =>
      changeCards(batch, { store: services.store, transaction: sweepCards, toChange })
    const count = await changeAtPace(services.quarantine.readable(cards), changeBatch, services)
    changed += count
    services.counts[work] += count
    last = cards.at(-1)
    if (cards.length < maxBatchRows) break
  }
  return changed
}

/** The next state of a card, with the event if the merchant is notified. */
async function makeTransition(services: SweepServices, card: CardRow, transition: CardTransition): Promise<CardChange | null> {
  const { rows, eventRows, clock, clockGuard } = services
  const now = clock.now()
  // The clock may have jumped since the card was listed.
  if (!clockGuard.isTrusted()) return null
  const { next, action, outcome } = transition(card, now)
  const isValid = await rows.isValid(card)
  // A tampered row is changed too, but without a new MAC, so that it does not become valid, and without an event.
  const nextRow = isValid ? await rows.seal(next) : next
  const audit = systemCardChangeEntry(nextRow, { at: now, action, outcome: isValid ? outcome : 'tampered' })
  const event = isValid && shouldNotifyMerchant(card) ? await eventRows.seal(cardEvent('card.expired', nextRow, now)) : null
  return { card: nextRow, audit, ...(event === null ? {} : extrasWithEvent({}, event)) }
}

/** The window of a limit is one day, and its key exists one day longer. */
export const limitsRetentionMs = 48 * 3_600_000
