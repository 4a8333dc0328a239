import type { Clock } from '../../clock.ts'
import type { CardSweeper } from '../../domain/cards/sweep.ts'
import { countEndedCards, countSavedCards, listEndedCards, listSavedCards } from '../../store/cards.ts'
import type { Store } from '../../store/store.ts'

import type { Metrics } from './metrics.ts'

export interface SweepGaugesDependencies {
  readonly store: Pick<Store, 'read' | 'scan'>
  readonly sweep: Pick<CardSweeper, 'sweptCounts'>
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Pick<Metrics, 'registerGauge'>
  /** Saved cards whose lifetime ends before this time are expired. */
  readonly expiredCardsEndBefore: (now: number) => number
}

/** Registers what the sweeper has done, what is left, and its lag: 0 for work that is done, else how long the oldest card has been waiting for it. */
export function registerSweepGauges({ store, clock, metrics, expiredCardsEndBefore, sweep }: SweepGaugesDependencies): void {
  metrics.registerGauge({
    name: 'tessera_cards_swept_total',
    help: 'Cards that the sweeper of this process has changed: ended (its number was deleted), expired (it was marked).',
    read: () => Object.entries(sweep.sweptCounts()).map(([work, value]) => ({ labels: { work }, value })),
  })
  metrics.registerGauge({
    name: 'tessera_cards_to_sweep',
    help: 'Cards that wait for the sweeper, by work: ended, expired.',
    async read() {
      const now = clock.now()
      const expiredBefore = expiredCardsEndBefore(now)
      // Counting takes long while there are many, so not in the thread that answers requests, and not at all without any.
      const [ended, expired] = await Promise.all([store.read(listEndedCards(now, 1)), store.read(listSavedCards(expiredBefore, 1))])
      return [
        { labels: { work: 'ended' }, value: ended.length === 0 ? 0 : await store.scan(countEndedCards(now)) },
        { labels: { work: 'expired' }, value: expired.length === 0 ? 0 : await store.scan(countSavedCards(expiredBefore)) },
      ]
    },
  })
  metrics.registerGauge({
    name: 'tessera_sweep_overdue_seconds',
    help: 'How long the oldest card has been waiting: ended (its number is to be deleted), expired (it is to be marked).',
    async read() {
      const now = clock.now()
      const expiredBefore = expiredCardsEndBefore(now)
      const [ended, expired] = await Promise.all([store.read(listEndedCards(now, 1)), store.read(listSavedCards(expiredBefore, 1))])
      const overdue = (card: { readonly endsAt: number } | undefined, until: number): number =>
        card === undefined ? 0 : Math.max(0, until - card.endsAt) / 1000
      return [
        { labels: { work: 'ended' }, value: overdue(ended[0], now) },
        { labels: { work: 'expired' }, value: overdue(expired[0], expiredBefore) },
      ]
    },
  })
}
