import assert from 'node:assert/strict'
import { test } from 'node:test'
import { T0 } from './samples.fixture.ts'
import { makeMovement } from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function ledgerSuite(withStore: WithStore): void {
  test(
    'the ledger of the sandbox takes a request once and keeps what it took',
    withStore(async ({ store, reopen }) => {
      const movements = Array.from({ length: 100 }, (_, n) => makeMovement('request', { amountTiyin: n + 1 }))
      const appended = await Promise.all(movements.map((movement) => store.appendLedger(movement)))
      assert.equal(appended.filter(Boolean).length, 1)
      const kept = movements[appended.indexOf(true)]!
      assert.deepEqual(await store.findLedger('request'), kept)
      assert.equal(await store.findLedger('other'), null)
      const again = await reopen()
      assert.equal(await again.appendLedger(movements[0]!), false)
      assert.deepEqual(await again.listLedger(kept.networkRef), [kept])
    }),
  )

  test(
    'the ledger lists what moved under one authorisation, oldest first',
    withStore(async ({ store }) => {
      const hold = makeMovement('b', { kind: 'hold', networkRef: 'one' })
      const capture = makeMovement('a', { kind: 'capture', networkRef: 'one', at: T0 + 1, outcome: 'declined', reason: 'debitFailed' })
      for (const movement of [capture, hold, makeMovement('c', { networkRef: 'two' })]) await store.appendLedger(movement)
      assert.deepEqual(await store.listLedger('one'), [hold, capture])
    }),
  )
}
