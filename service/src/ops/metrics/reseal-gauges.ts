import type { Clock } from '../../clock.ts'
import type { CardResealer } from '../../domain/cards/reseal.ts'

import type { Metrics } from './metrics.ts'

/** Registers what resealing has done, and what is left: counted at most once a minute, because it groups all cards. */
export function registerResealGauges(
  reseal: Pick<CardResealer, 'countLeft' | 'resealedCount'>,
  metrics: Pick<Metrics, 'registerGauge'>,
  clock: Pick<Clock, 'moment'>,
): void {
  let counted: { readonly left: Promise<number>; readonly atMs: number } | null = null
  metrics.registerGauge({
    name: 'tessera_cards_resealed_total',
    help: 'Cards that this process has resealed under a newer key.',
    read: () => reseal.resealedCount(),
  })
  metrics.registerGauge({
    name: 'tessera_cards_to_reseal',
    help: 'Cards that are sealed under retired keys, and wait to be resealed.',
    read: () => {
      const atMs = clock.moment().monotonicMs
      if (counted !== null && atMs - counted.atMs < countEveryMs) return counted.left
      const left = reseal.countLeft()
      counted = { left, atMs }
      // A failure is not kept.
      left.catch(() => (counted = null))
      return left
    },
  })
}

const countEveryMs = 60_000
