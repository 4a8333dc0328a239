import type { Clock } from '../../clock.ts'
import type { CardResealer, ResealBacklog } from '../../domain/cards/reseal.ts'

import type { Metrics } from './metrics.ts'

/** Registers what resealing has done, what is left, and its lag. The rest is counted at most once a minute, because that groups all cards. */
export function registerResealGauges(
  reseal: Pick<CardResealer, 'readBacklog' | 'resealedCount'>,
  metrics: Pick<Metrics, 'registerGauge'>,
  clock: Pick<Clock, 'moment' | 'now'>,
): void {
  let latest: { readonly backlog: Promise<ResealBacklog>; readonly atMs: number } | null = null
  metrics.registerGauge({
    name: 'tessera_cards_resealed_total',
    help: 'Cards that this process has resealed under a newer key.',
    read: () => reseal.resealedCount(),
  })
  metrics.registerGauge({
    name: 'tessera_cards_to_reseal',
    help: 'Cards that are sealed under retired keys, and wait to be resealed.',
    read: async () => (await readBacklog()).cards,
  })
  metrics.registerGauge({
    name: 'tessera_reseal_overdue_seconds',
    help: 'How long cards have been waiting to be resealed: since the first of their keys was retired. 0 without such cards.',
    async read() {
      const { since } = await readBacklog()
      return since === null ? 0 : Math.max(0, clock.now() - since) / 1000
    },
  })

  function readBacklog(): Promise<ResealBacklog> {
    const atMs = clock.moment().monotonicMs
    if (latest !== null && atMs - latest.atMs < countEveryMs) return latest.backlog
    const backlog = reseal.readBacklog()
    latest = { backlog, atMs }
    // A failure is not kept.
    backlog.catch(() => (latest = null))
    return backlog
  }
}

const countEveryMs = 60_000
