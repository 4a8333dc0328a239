import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failedPageSize, replayFailed } from '../delivery-claims.ts'
import type { WithStore } from './opened.fixture.ts'
import { bucket, sampleMerchantId, T0 } from './samples.fixture.ts'
import { endpointAuditEntry, insertSampleEndpoint } from './webhooks.fixture.ts'

/** Replaying what failed at one endpoint. */
export function replayFailedSuite(withStore: WithStore): void {
  test(
    'failed deliveries of an endpoint and a time are replayed in pages, those that failed first, and nothing else',
    withStore(async ({ store, raw }) => {
      for (const name of ['one', 'two']) await insertSampleEndpoint(store, name)
      const count = failedPageSize + 44
      const rowOf = (n: number, endpointId: string, state = 'dead'): string =>
        `(${bucket}, '${endpointId}', 'event ${String(n).padStart(3, '0')}', '${sampleMerchantId}', 'object ${n}', 1, '${state}', 10, 10, null, '', ${T0}, ${T0 + n})`
      const rows = [
        ...Array.from({ length: count + 10 }, (_, n) => rowOf(n, 'one')),
        rowOf(900, 'one', 'delivered'),
        ...Array.from({ length: 3 }, (_, n) => rowOf(n, 'two')),
      ]
      await raw(`
        insert into deliveries
          (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at, settled_at)
        values ${rows.join(', ')} returning event_id`)
      const failed = { bucket, merchantId: sampleMerchantId, endpointId: 'one', from: T0, to: T0 + count, now: T0 + 5000 }
      const replay = () => store.write(replayFailed, { ...failed, audit: endpointAuditEntry })
      assert.deepEqual(await replay(), { replayed: failedPageSize, hasMore: true })
      const [last] = await raw(`select max(event_id) as event_id from deliveries where due_at = ${T0 + 5000}`)
      assert.equal(last?.['event_id'], `event ${failedPageSize - 1}`)
      assert.deepEqual(await replay(), { replayed: 44, hasMore: false })
      assert.deepEqual(await replay(), { replayed: 0, hasMore: false })
      const waiting = await raw(`select endpoint_id, tries, attempts, settled_at from deliveries where state = 'waiting'`)
      assert.equal(waiting.length, count)
      assert.deepEqual(
        new Set(waiting.map((row) => [row['endpoint_id'], row['tries'], row['attempts'], row['settled_at']].join(' '))),
        new Set(['one 0 10 0']),
      )
    }),
  )
}
