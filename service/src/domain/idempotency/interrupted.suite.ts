import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import { replaceInStore, replaceWrite } from '../../testing/store.fixture.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'
import { type Store, type StoreLock, StoreUnavailable } from '../../store/store.ts'
import { beginVerification, recordSendResult } from '../../store/verifications.ts'

import { openIdempotencyClient } from './idempotency-client.fixture.ts'
import { cardOf, onTestApp, turning } from './idempotency.suite.ts'

const paysAtOnce = '8600069195406311'
const sentByService = '8600495473316478'

/** What a caller is told of a call that was interrupted: its process was killed, or the database went away in the middle of it. */
export function interruptedCallSuite(withStore: WithStore): void {
  test(
    'a duplicate waits for a request of another process while that runs, and gets outcome_unknown for the rest of the lease when it has ended',
    onTestApp(withStore, async ({ client, app, store, restart }) => {
      const held: StoreLock[] = []
      const killable: Store = {
        ...replaceInStore(store),
        async tryLock(name) {
          const lock = await store.tryLock(name)
          if (lock !== null) held.push(lock)
          return lock
        },
      }
      const asked = Promise.withResolvers<void>()
      const authorize = (): Promise<never> => {
        asked.resolve()
        return new Promise<never>(() => undefined)
      }
      const first = await createTestApp({ after }, { store: killable, continues: app, network: (network) => ({ ...network, authorize }) })
      const token = await client.verified(paysAtOnce)
      const { receipt } = await client.result('receipts.create', { amount: 500_000 })
      const ask = ['receipts.pay', { id: receipt._id, token }, { key: 'k1' }] as const
      const pending = (await openIdempotencyClient(first)).post(...ask)
      await asked.promise

      const other = await restart()
      let isAnswered = false
      const again = other.error(...ask).finally(() => (isAnswered = true))
      await turning(app, app.clock.sleep(waitedMs, new AbortController().signal), 100)
      assert.equal(isAnswered, false, 'the first request is in progress')
      // A lock ends with the process that holds it.
      for (const lock of held) await lock.release()
      const { reason, retry_after: retryAfterMs = 0 } = await turning(app, again, 100)
      assert.equal(reason, 'outcome_unknown')
      // The rest of the lease; how far the clock was turned until the reply came depends on the machine.
      assert.ok(retryAfterMs > 0 && retryAfterMs <= 30_000 - waitedMs, String(retryAfterMs))
      assert.equal((await other.error(...ask)).reason, 'outcome_unknown', 'every later one too')
      app.clock.advance(31_000)
      await pending
      await first.close()
    }),
  )

  test(
    'a claim of a process that was stopped is answered at once after a restart, whatever of its lease is left',
    onTestApp(withStore, async ({ client, app, reopen }) => {
      const asked = Promise.withResolvers<void>()
      const authorize = (): Promise<never> => {
        asked.resolve()
        return new Promise<never>(() => undefined)
      }
      const first = await createTestApp({ after }, { store: app.store, continues: app, network: (network) => ({ ...network, authorize }) })
      const token = await client.verified(paysAtOnce)
      const { receipt } = await client.result('receipts.create', { amount: 500_000 })
      const ask = ['receipts.pay', { id: receipt._id, token }, { key: 'k1' }] as const
      void (await openIdempotencyClient(first)).post(...ask)
      await asked.promise
      const later = await createTestApp({ after }, { store: await reopen(), continues: app })
      const { reason, retry_after: retryAfterMs } = await (await openIdempotencyClient(later)).error(...ask)
      assert.deepEqual([reason, retryAfterMs], ['outcome_unknown', 30_000])
      await later.close()
    }),
  )

  test(
    'without a key, a call whose first write is refused gets store_unavailable, and one that has written before gets outcome_unknown',
    onTestApp(withStore, async ({ client, app, store }) => {
      const away = async (): Promise<never> => {
        throw new StoreUnavailable('the database is away')
      }
      for (const [refusing, reason] of [
        [replaceWrite(beginVerification, away), 'store_unavailable'],
        [replaceWrite(recordSendResult, away), 'outcome_unknown'],
      ] as const) {
        const { token } = (await client.result('cards.create', { ...cardOf(sentByService), save: true })).card
        const failing = await createTestApp({ after }, { store: replaceInStore(store, refusing), continues: app })
        assert.equal((await (await openIdempotencyClient(failing)).error('cards.get_verify_code', { token })).reason, reason)
        await failing.close()
      }
    }),
  )
}

const waitedMs = 2000
