import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { KeyStoreMismatch } from '../../domain/keys/key-store-mismatch.ts'
import { makeKeyStore, startProcess } from '../../domain/keys/sign-rows-pages.suite.ts'
import { insertAuditEntry, listChainBoundaries } from '../../store/audit.ts'
import { withPostgres } from '../../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import { type Store, StoreOutcomeUnknown, StoreUnavailable } from '../../store/store.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'
import { replaceInStore, replaceWrite } from '../../testing/store.fixture.ts'

import { isMarked, openAuditChain } from './open-chain.ts'

function openChainSuite(withStore: WithStore): void {
  test(
    'the boundary is written once, also by processes that start at the same time, and its mark is in the key store',
    withStore(async ({ store }) => {
      const keys = makeKeyStore()
      const [first, second] = [await startProcess(keys), await startProcess(keys)]
      // A process that finds the lock taken looks again at once.
      const sleep = () => new Promise<void>((resolve) => setImmediate(resolve))
      await Promise.all([first, second].map((start) => openAuditChain({ ...start, clock: { ...start.clock, sleep }, store })))
      assert.ok(isMarked(await startProcess(keys)))
      assert.equal((await boundaries(store)).length, 1)
      await openAuditChain({ ...(await startProcess(keys)), store })
      assert.equal((await boundaries(store)).length, 1)
    }),
  )

  test(
    'a start that is cut off before its mark is continued, with one boundary',
    withStore(async ({ store }) => {
      const keys = makeKeyStore()
      const lost = replaceInStore(
        store,
        replaceWrite(insertAuditEntry, async (_input, original) => {
          await original()
          throw new StoreOutcomeUnknown('cut off')
        }),
      )
      await assert.rejects(openAuditChain({ ...(await startProcess(keys)), store: lost }), StoreUnavailable)
      assert.equal(isMarked(await startProcess(keys)), false)
      await openAuditChain({ ...(await startProcess(keys)), store })
      assert.ok(isMarked(await startProcess(keys)))
      assert.equal((await boundaries(store)).length, 1)
    }),
  )

  test(
    'a database whose boundary was written under another key store is refused',
    withStore(async ({ store }) => {
      await openAuditChain({ ...(await startProcess(makeKeyStore())), store })
      const other = await startProcess(makeKeyStore())
      await assert.rejects(openAuditChain({ ...other, store }), KeyStoreMismatch)
      assert.equal(isMarked(other), false)
    }),
  )
}

function boundaries(store: Store) {
  return store.read(listChainBoundaries())
}

describe('the boundary of the audit in the embedded store', () =>
  openChainSuite((run) =>
    withSqlite((opened) => {
      // The lock of the data folder admits one process; here two share a store.
      let isTaken = false
      const tryLock: Store['tryLock'] = () => {
        if (isTaken) return Promise.resolve(null)
        isTaken = true
        return Promise.resolve({ check: () => Promise.resolve(), release: async () => void (isTaken = false) })
      }
      return run({ ...opened, store: { ...opened.store, tryLock } })
    }),
  ))
describe('the boundary of the audit on PostgreSQL', () => openChainSuite(withPostgres))
