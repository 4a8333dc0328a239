import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listDueEndpoints } from '../delivery-claims.ts'
import type { DeliveryRow } from '../deliveries.ts'
import { formerClaimText } from './former-claim.fixture.ts'
import type { WithStore } from './opened.fixture.ts'
import { bucket, T0 } from './samples.fixture.ts'
import { claimAll, insertSampleEndpoint, insertSampleEvents } from './webhooks.fixture.ts'

/** The claim for each endpoint against the one that it replaced. */
export function formerClaimSuite(withStore: WithStore): void {
  test(
    'claims for one endpoint after the other take what the former claim of all endpoints took',
    withStore(async ({ store, raw }) => {
      const endpoints = ['one', 'two', 'three']
      for (const name of endpoints) await insertSampleEndpoint(store, name)
      // Objects with up to five events: delivered, due, due later, and so in all orders behind each other.
      const states = ['null', T0 - 700, T0 - 5, T0, T0 + 1, T0 + 90_000]
      const dueTimes = new Map<string, number | string>()
      for (let n = 0; n < 60; n++) {
        const ids = await insertSampleEvents(store, n, `object ${n}`, 1 + (n % 5))
        for (const [at, eventId] of ids.entries())
          for (const [of, endpointId] of endpoints.entries())
            dueTimes.set(
              `bucket = ${bucket} and endpoint_id = '${endpointId}' and event_id = '${eventId}'`,
              states[(n * 7 + at * 5 + of * 3 + ((n * at) % 4)) % 6]!,
            )
      }
      const reset = async (): Promise<void> => {
        for (const [key, dueAt] of dueTimes)
          await raw(`update deliveries set due_at = ${dueAt}, claim_id = '' where ${key} returning event_id`)
      }
      const keyOf = ({ endpointId, eventId }: Pick<DeliveryRow, 'endpointId' | 'eventId'>): string => `${endpointId} ${eventId}`
      await reset()
      const former: string[] = []
      for (let isMore = true; isMore;) {
        const rows = await raw(formerClaimText({ now: T0, leaseUntil: T0 + 30_000, count: 20 }))
        former.push(...rows.map((row) => keyOf({ endpointId: String(row['endpoint_id']), eventId: String(row['event_id']) })))
        isMore = rows.length > 0
      }
      await reset()
      const found = await store.read(
        listDueEndpoints({ after: { bucket: -1, endpointId: '' }, upTo: { bucket, endpointId: '~' }, now: T0 }),
      )
      const claimed = await claimAll(
        store,
        'c',
        T0,
        found.map(({ endpointId }) => endpointId),
      )
      assert.ok(former.length > 60 && former.length < dueTimes.size / 2, `${former.length} of ${dueTimes.size}`)
      assert.deepEqual(claimed.map(keyOf).sort(), former.sort())
    }),
  )
}
