import assert from 'node:assert/strict'
import { test } from 'node:test'

import { bucketOf } from '@tessera/vault/id'

import { insertAuditEntry } from '../../store/audit.ts'
import { listAllTimeCounters, listCounters } from '../../store/counters.ts'
import type { Store } from '../../store/store.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'
import { makeAuditEntry, makeCard, sampleMerchantId } from '../../store/suite/samples.fixture.ts'

import { hourOf, makeCallCounters } from './call-counters.ts'

const bucket = bucketOf(sampleMerchantId)
const signal = new AbortController().signal
const hourMs = 3_600_000
/** The beginning of an hour. */
const start = 500_000 * hourMs

export function callCountersSuite(withStore: WithStore): void {
  test(
    'audit entries are counted once, by hour, action and who did it, however many pages and chains they fill',
    withStore(async ({ store }) => {
      const counters = makeCallCounters({ store, clock: { now: () => start } })
      const entries = [
        ...Array.from({ length: 2500 }, () => entry('card.created', start - 1)),
        ...Array.from({ length: 3 }, () => entry('card.created', start)),
        entry('receipt.paid', start, { outcome: 'captured' }),
        entry('receipt.paid', start, { actor: 'user:1' }),
        entry('receipt.payment_failed', start, { outcome: 'card_blocked' }),
        entry('code.attempted', start, { outcome: 'expired' }),
        entry('key.replaced', start),
        entry('card.created', start, { merchantId: '' }),
        entry('card.created', start - 186 * 24 * hourMs),
      ]
      await Promise.all(entries.map((audit) => store.write(insertAuditEntry, { audit })))
      for (let round = 0; round < 2; round++) {
        await counters.runOnce(signal)
        assert.deepEqual(await countsOf(store, start - 1), { created: 2500 })
        assert.deepEqual(await countsOf(store, start), { created: 3, paid: 2, captured: 1, 'refused:card_blocked': 1 })
        const sums = await store.read(listAllTimeCounters({ bucket, merchantId: sampleMerchantId }))
        assert.deepEqual(toObject(sums), { created: 2504, paid: 1, tried_paid: 1 })
      }
    }),
  )

  test(
    'entries behind a gap in a chain are counted once it is older than a commit can be',
    withStore(async ({ store, raw }) => {
      let now = start
      const counters = makeCallCounters({ store, clock: { now: () => now } })
      for (let number = 1; number <= 6; number++) await store.write(insertAuditEntry, { audit: entry('card.created', start) })
      await raw('delete from audit where seq in (1, 4)')
      await counters.runOnce(signal)
      assert.deepEqual(await countsOf(store, start), {})
      now += 60_001
      await counters.runOnce(signal)
      assert.deepEqual(await countsOf(store, start), { created: 4 })
      await store.write(insertAuditEntry, { audit: entry('card.created', now) })
      await store.write(insertAuditEntry, { audit: entry('card.created', now) })
      await raw('delete from audit where seq = 8')
      await store.write(insertAuditEntry, { audit: entry('card.created', now) })
      await counters.runOnce(signal)
      assert.deepEqual(await countsOf(store, start), { created: 5 })
      now += 60_001
      await counters.runOnce(signal)
      assert.deepEqual(await countsOf(store, start), { created: 6 })
    }),
  )
}

function entry(action: string, at: number, over: Partial<ReturnType<typeof makeAuditEntry>> = {}): ReturnType<typeof makeAuditEntry> {
  return makeAuditEntry(makeCard(1), action, { merchantId: sampleMerchantId, at, ...over })
}

async function countsOf(store: Store, at: number): Promise<Record<string, number>> {
  const hour = hourOf(at)
  const query = { bucket, merchantId: sampleMerchantId, fromHour: hour, toHour: hour, stepHours: 1 } as const
  return toObject(await store.read(listCounters(query)))
}

function toObject(counters: readonly { readonly name: string; readonly count: number }[]): Record<string, number> {
  return Object.fromEntries(counters.map(({ name, count }) => [name, count]))
}
