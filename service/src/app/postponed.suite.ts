import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { openIdempotencyClient } from '../domain/idempotency/idempotency-client.fixture.ts'
import { createCrashingStore } from '../domain/payments/crashing-store.fixture.ts'
import { longestRetryWaitAfter } from '../domain/webhooks/schedule.ts'
import type { Store } from '../store/store.ts'
import type { WithStore } from '../store/suite/opened.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

import { callAsOperator, clockOf, confirmClock } from './clock-operator.fixture.ts'

/** What a confirmation of the clock confirms, and what becomes of work that a clock that was ahead has postponed, on a store. */
export function postponedSuite(withStore: WithStore): void {
  const day = 86_400_000
  const leaseMs = 30_000

  test(
    'a confirmation carries the time that was compared: it does not confirm a clock that has jumped again since',
    withStore(async ({ store }) => {
      const app = await createTestApp({ after }, { store })
      try {
        app.clock.jump(2 * day)
        const time = new Date(app.clock.now()).toISOString()
        app.clock.jump(300 * day)
        assert.equal(await callAsOperator(app, 'operator.clock.confirm', { time }), undefined)
        assert.equal((await clockOf(app)).trusted, false)
        app.clock.jump(-300 * day)
        app.clock.advance(299_000)
        assert.deepEqual(await callAsOperator(app, 'operator.clock.confirm', { time }), { success: true })
        assert.equal((await clockOf(app)).trusted, true)
        app.clock.jump(300 * day)
        assert.equal((await clockOf(app)).trusted, false)
      } finally {
        await app.close()
      }
    }),
  )

  test(
    'a jump while a confirmation is being carried out is not confirmed with it',
    withStore(async ({ store }) => {
      const write: Store['write'] = async (transaction, input) => {
        const entry = (input as unknown as { readonly audit?: { readonly action: string } }).audit
        if (entry?.action === 'clock.confirmed') app.clock.jump(300 * day)
        return store.write(transaction, input)
      }
      const app = await createTestApp({ after }, { store: { ...store, write } })
      try {
        app.clock.jump(2 * day)
        assert.deepEqual(await confirmClock(app), { success: true })
        assert.deepEqual(await clockOf(app), { trusted: false, reason: 'jumped', bySeconds: (300 * day) / 1000 })
      } finally {
        await app.close()
      }
    }),
  )

  test(
    'what a clock that was ahead has postponed is due when the clock is set right, without a confirmation, and nothing else is',
    withStore(async ({ store, raw }) => {
      const app = await createTestApp({ after }, { store })
      try {
        const client = await openIdempotencyClient(app)
        await callAsOperator(app, 'operator.webhooks.add', { url: 'http://127.0.0.1:9/events' })
        const dues = async () => (await raw('select due_at from deliveries where due_at is not null')) as { due_at: number | string }[]
        const isDue = async (): Promise<boolean[]> => (await dues()).map((row) => Number(row.due_at) <= app.clock.now())
        await client.verified(successPan)
        assert.deepEqual(await isDue(), [true])
        // As after the third attempt, and as when the process has died in the first one.
        await raw(`update deliveries set tries = 3, due_at = ${String(app.clock.now() + 1_900_000)}`)
        await app.app.services.clockAdministration.runOnce()
        assert.deepEqual(await isDue(), [false], 'the time of a right clock stays')
        app.clock.jump(day / 2)
        await raw(`update deliveries set tries = 3, due_at = ${String(app.clock.now() + 1_900_000)}`)
        await app.app.services.clockAdministration.runOnce()
        app.clock.jump(-day / 2)
        await app.app.services.clockAdministration.runOnce()
        const waitMs = longestRetryWaitAfter(3)
        const waits = async (): Promise<number[]> => (await dues()).map((row) => Number(row.due_at) - app.clock.now())
        assert.deepEqual([await waits(), (await clockOf(app)).trusted], [[waitMs], true], 'its wait begins anew')
        app.clock.advance(waitMs)
        assert.deepEqual(await isDue(), [true])
        await raw(`update deliveries set tries = 0, due_at = ${String(app.clock.now() + 40 * day)}`)
        app.clock.jump(day / 2)
        await app.app.services.clockAdministration.runOnce()
        app.clock.jump(-day / 2)
        await app.app.services.clockAdministration.runOnce()
        assert.deepEqual(await waits(), [0], 'there is no wait before the first attempt')
        await raw(`update deliveries set tries = 1, claim_id = 'died', due_at = ${String(app.clock.now() + 40 * day)}`)
        app.clock.jump(40 * day)
        await app.app.services.clockAdministration.runOnce()
        app.clock.jump(-40 * day)
        await app.app.services.clockAdministration.runOnce()
        assert.deepEqual([await isDue(), (await clockOf(app)).trusted], [[false], false], 'the attempt may be in progress')
        app.clock.advance(45_000)
        assert.deepEqual(await isDue(), [true])
      } finally {
        await app.close()
      }
    }),
  )

  for (const [back, isRefused] of [
    [26 * 3_600_000, true],
    [20 * 3_600_000, false],
  ] as const) {
    test(
      `a clock that is wrongly set back by ${String(back / 3_600_000)} hours ends no record of a key, neither then nor when it is right again`,
      withStore(async ({ store, raw }) => {
        const app = await createTestApp({ after }, { store })
        const crashing = createCrashingStore(store, { write: 1, isDurable: true })
        const dying = await createTestApp({ after }, { store: crashing.store, continues: app })
        try {
          const client = await openIdempotencyClient(app)
          const token = await client.verified(successPan)
          const { receipt } = await client.result('receipts.create', { amount: 500_000 })
          void (await openIdempotencyClient(dying)).post('receipts.pay', { id: receipt._id, token }, { key: 'k1' })
          await crashing.crashed
          const ends = async (): Promise<unknown> => raw('select ends_at, claimed_at from idempotency order by ends_at, claimed_at')
          const leases = async (): Promise<unknown> => raw('select lease_until from idempotency order by lease_until')
          const before = [await ends(), await leases()]
          app.clock.jump(-back)
          await app.app.services.clockAdministration.runOnce()
          assert.equal((await clockOf(app)).trusted, !isRefused)
          assert.deepEqual(await ends(), before[0])
          if (isRefused) assert.deepEqual(await leases(), before[1])
          app.clock.jump(back)
          await app.app.services.clockAdministration.runOnce()
          assert.deepEqual(await ends(), before[0])
        } finally {
          await dying.close()
          await app.close()
        }
      }),
    )
  }

  test(
    'a key that was claimed by a clock that was ahead is answered when its lease is over by the right one, whatever else cannot be read',
    withStore(async ({ store, raw }) => {
      let areReceiptsUnreadable = false
      const read: Store['read'] = (query) =>
        areReceiptsUnreadable && /from receipts where due_at/.test(query.statement.text)
          ? Promise.reject(new Error('no receipt can be read'))
          : store.read(query)
      const app = await createTestApp({ after }, { store: { ...store, read } })
      const crashing = createCrashingStore(store, { write: 1, isDurable: true })
      const dying = await createTestApp({ after }, { store: crashing.store, continues: app })
      try {
        const client = await openIdempotencyClient(app)
        const token = await client.verified(successPan)
        app.clock.jump(40 * day)
        const { receipt } = await client.result('receipts.create', { amount: 500_000 })
        const call = ['receipts.pay', { id: receipt._id, token }, { key: 'k1' }] as const
        void (await openIdempotencyClient(dying)).post(...call)
        await crashing.crashed
        app.clock.jump(-40 * day)
        const leases = async (): Promise<number[]> =>
          ((await raw('select lease_until from idempotency')) as { lease_until: number | string }[]).map(
            (row) => Number(row.lease_until) - app.clock.now(),
          )
        assert.deepEqual(await leases(), [40 * day + leaseMs])
        // Ahead of it, a record that cannot be read, and one that this service has not written.
        const others = 'hash_key_id, claimed_at, lease_until, ends_at - 1, method, subject, request_id, process_id, mac'
        for (const caller of ['nobody', 'browser'])
          await raw(
            `insert into idempotency (bucket, merchant_id, caller_class, key_hash, identity, ${others.replace(' - 1', '')})
             select bucket, merchant_id, '${caller}', key_hash, identity, ${others} from idempotency where caller_class = 'server'`,
          )
        areReceiptsUnreadable = true
        await assert.rejects(app.app.services.clockAdministration.runOnce(), /no receipt can be read/)
        areReceiptsUnreadable = false
        await raw(`delete from idempotency where caller_class <> 'server'`)
        assert.deepEqual(await leases(), [leaseMs])
        // The receipts are tried again.
        app.clock.advance(60_000)
        await app.app.services.clockAdministration.runOnce()
        for (let round = 0; round < 3; round++) {
          app.clock.advance(leaseMs)
          await app.receiptWorker.runOnce()
        }
        const { reason, retry_after: retryAfterMs } = await client.error(...call)
        assert.deepEqual([reason === 'outcome_unknown' && retryAfterMs !== undefined], [false], 'it waits for nothing any more')
      } finally {
        await dying.close()
        await app.close()
      }
    }),
  )
}
