import type { Clock } from '../../clock.ts'
import { listEndedCards, listSavedCards } from '../../store/cards.ts'
import type { Store } from '../../store/store.ts'

import type { Metrics } from './metrics.ts'

export interface SweepGaugesDependencies {
  readonly store: Pick<Store, 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Pick<Metrics, 'registerGauge'>
  /** Saved cards whose lifetime ends before this time are expired. */
  readonly expiredCardsEndBefore: (now: number) => number
}

/** Registers the lag of the sweeper: 0 for work that is done, else how long the oldest card has been waiting for it. */
export function registerSweepGauges({ store, clock, metrics, expiredCardsEndBefore }: SweepGaugesDependencies): void {
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
