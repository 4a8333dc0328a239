import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import { dueAt } from '@tessera/vault/epoch'

import type { GaugeSample } from './metric.ts'
import type { Metrics } from './metrics.ts'

export interface KeyGaugesDependencies {
  readonly keyring: Pick<Keyring, 'list' | 'wrappingKekId'>
  /** Since when the KEK is in use, Unix milliseconds; null while unknown. */
  readonly kekSince: () => number | null
  readonly kekAgeMaxMs: number
  readonly clock: Pick<Clock, 'now'>
  readonly metrics: Pick<Metrics, 'registerGauge'>
}

/** Registers the gauges of the data keys, by purpose: there may be a card key for each merchant. */
export function registerKeyGauges({ keyring, kekSince, kekAgeMaxMs, clock, metrics }: KeyGaugesDependencies): void {
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
  metrics.registerGauge({
    name: 'tessera_key_due_seconds',
    help: 'Seconds until the first data key of a purpose in use is due to be replaced. Keys are replaced an hour before: below 2700 the KEK or the key store is away.',
    read() {
      const first = new Map<string, number>()
      for (const key of keyring.list()) {
        const due = dueAt(key)
        if (due !== null) first.set(key.purpose, Math.min(first.get(key.purpose) ?? Infinity, due))
      }
      return [...first].map(([purpose, due]) => ({ labels: { purpose }, value: (due - clock.now()) / 1000 }))
    },
  })
  metrics.registerGauge({
    name: 'tessera_keys_under_other_kek',
    help: 'Data keys that are not wrapped by the KEK that wraps new ones: tessera keys rewrap is not finished.',
    read: () => {
      const kekId = keyring.wrappingKekId()
      return [{ labels: {}, value: keyring.list().filter((key) => key.state !== 'destroyed' && key.kekId !== kekId).length }]
    },
  })
  metrics.registerGauge({
    name: 'tessera_kek_age_seconds',
    help: 'Age of the KEK that wraps new keys.',
    read: () => sinceKek((since) => clock.now() - since),
  })
  metrics.registerGauge({
    name: 'tessera_kek_due_seconds',
    help: 'Seconds until the cryptoperiod of the KEK ends (kekAgeDaysMax); below zero it has ended.',
    read: () => sinceKek((since) => since + kekAgeMaxMs - clock.now()),
  })

  function sinceKek(toMs: (since: number) => number): GaugeSample[] {
    const since = kekSince()
    return since === null ? [] : [{ labels: {}, value: toMs(since) / 1000 }]
  }
}
