import assert from 'node:assert/strict'
import { test } from 'node:test'
import { T0 } from './samples.fixture.ts'
import { makeMovement } from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'
import { findLedgerEntry, insertLedgerEntry, listLedgerEntries } from '../sandbox-ledger.ts'

export function sandboxLedgerSuite(withStore: WithStore): void {
  test(
    'the sandbox ledger accepts a request id once and keeps that movement',
    withStore(async ({ store, reopen }) => {
      const movements = Array.from({ length: 100 }, (_, n) => makeMovement('request', { amountTiyin: n + 1 }))
      const appended = await Promise.all(movements.map((movement) => store.write(insertLedgerEntry, movement)))
      assert.equal(appended.filter(Boolean).length, 1)
      const stored = movements[appended.indexOf(true)]!
      assert.deepEqual(await store.read(findLedgerEntry('request')), stored)
      assert.equal(await store.read(findLedgerEntry('other')), null)
      const again = await reopen()
      assert.equal(await again.write(insertLedgerEntry, movements[0]!), false)
      assert.deepEqual(await again.read(listLedgerEntries(stored.networkRef)), [stored])
    }),
  )

  test(
    'the sandbox ledger lists the movements of one authorization, oldest first',
    withStore(async ({ store }) => {
      const hold = makeMovement('b', { kind: 'hold', networkRef: 'one' })
      const capture = makeMovement('a', { kind: 'capture', networkRef: 'one', at: T0 + 1, outcome: 'declined', reason: 'debitFailed' })
      for (const movement of [capture, hold, makeMovement('c', { networkRef: 'two' })]) await store.write(insertLedgerEntry, movement)
      assert.deepEqual(await store.read(listLedgerEntries('one')), [hold, capture])
    }),
  )
}
