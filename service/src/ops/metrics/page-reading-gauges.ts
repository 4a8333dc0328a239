import type { Clock } from '../../clock.ts'
import type { PageReadingObserver } from '../../domain/page-check/page-readings.ts'
import { countPageWatches } from '../../store/page-watches.ts'
import type { Store } from '../../store/store.ts'
import type { Log } from '../logging/log.ts'

import type { Metrics } from './metrics.ts'

export interface PageReadingGaugesDependencies {
  readonly store: Pick<Store, 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly metrics: Pick<Metrics, 'registerGauge'>
}

/** Registers what operators watch of pages that are read again, and returns the observer that counts readings and logs what changed. */
export function observePageReadings({ store, clock, log, metrics }: PageReadingGaugesDependencies): PageReadingObserver {
  const counts = { new: 0, unchanged: 0, changed: 0, unreadable: 0 }
  metrics.registerGauge({
    name: 'tessera_page_readings_total',
    help: "Readings of merchants' pages by the schedule in this process, by outcome.",
    read: () => Object.entries(counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
  })
  metrics.registerGauge({
    name: 'tessera_watched_pages',
    help: "Merchants' pages that are read again by the schedule, by state.",
    async read() {
      const found = new Map((await store.read(countPageWatches())).map(({ state, pages }) => [state, pages]))
      return states.map((state) => ({ labels: { state }, value: found.get(state) ?? 0 }))
    },
  })
  metrics.registerGauge({
    name: 'tessera_page_readings_overdue_seconds',
    help: 'How long the page that has been due longest has been waiting to be read again: 0 without one.',
    async read() {
      const due = (await store.read(countPageWatches())).map(({ dueAt }) => dueAt)
      return due.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...due)) / 1000
    },
  })
  return {
    onRead({ result, merchantId, count }) {
      if (result === 'skipped') return
      counts[result]++
      if (result === 'changed') log.warn('page_changed', { merchantId, count })
    },
  }
}

const states = ['new', 'unchanged', 'changed', 'unreadable'] as const
