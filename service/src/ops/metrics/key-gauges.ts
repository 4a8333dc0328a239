import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'

import type { GaugeSample } from './metric.ts'
import type { Metrics } from './metrics.ts'

export interface KeyGaugesDependencies {
  readonly keyring: Pick<Keyring, 'list'>
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Pick<Metrics, 'registerGauge'>
}

/** Registers the gauges of the data keys, by purpose: there may be a card key for each merchant. */
export function registerKeyGauges({ keyring, clock, metrics }: KeyGaugesDependencies): void {
  metrics.registerGauge({
    name: 'tessera_keys',
    help: 'Data keys by purpose and state: active (new work), decrypt_only, destroyed.',
    read() {
      const counts = new Map<string, GaugeSample & { value: number }>()
      for (const { purpose, state } of keyring.list()) {
        const sample = counts.get(`${purpose} ${state}`) ?? { labels: { purpose, state }, value: 0 }
        counts.set(`${purpose} ${state}`, { ...sample, value: sample.value + 1 })
      }
      return [...counts.values()]
    },
  })
  metrics.registerGauge({
    name: 'tessera_key_oldest_age_seconds',
    help: 'Age of the oldest data key of a purpose that is not destroyed, by state: active, or decrypt_only.',
    read() {
      const oldest = new Map<string, { readonly labels: GaugeSample['labels']; readonly createdAt: number }>()
      for (const { purpose, state, createdAt } of keyring.list()) {
        const known = oldest.get(`${purpose} ${state}`)
        if (state !== 'destroyed' && (known === undefined || createdAt < known.createdAt))
          oldest.set(`${purpose} ${state}`, { labels: { purpose, state }, createdAt })
      }
      return [...oldest.values()].map(({ labels, createdAt }) => ({ labels, value: Math.max(0, clock.now() - createdAt) / 1000 }))
    },
  })
}
