import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCard, insertCard } from '../cards.ts'
import { StoreUnavailable } from '../store.ts'
import { makeCard, makeAuditEntry } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function lifecycleSuite(withStore: WithStore): void {
  test(
    'closing waits for the writes in progress and refuses later ones',
    withStore(async ({ store }) => {
      await store.ping()
      const cards = Array.from({ length: 300 }, (_, number) => makeCard(number))
      const insertions = Promise.all(cards.map((card) => store.write(insertCard, { card, audit: makeAuditEntry(card) })))
      const closed = store.close(5000)
      await assert.rejects(store.write(insertCard, { card: makeCard(999), audit: makeAuditEntry(makeCard(999)) }), StoreUnavailable)
      await Promise.all([insertions, closed])
      await assert.rejects(store.read(findCard(makeCard(0))), StoreUnavailable)
      await assert.rejects(store.ping(), StoreUnavailable)
    }),
  )

  test(
    'writes that wait are counted until they are done, and the database has a size',
    withStore(async ({ store }) => {
      const cards = Array.from({ length: 300 }, (_, number) => makeCard(number))
      const insertions = Promise.all(cards.map((card) => store.write(insertCard, { card, audit: makeAuditEntry(card) })))
      assert.equal(store.waitingWrites(), 300)
      await insertions
      assert.equal(store.waitingWrites(), 0)
      // More than one write shares a commit.
      const commits = store.commitCount()
      assert.ok(commits > 0 && commits < 300, `${commits}`)
      assert.ok((await store.sizeBytes()) > 300 * 200)
    }),
  )

  test(
    'a lock is seen until it is released, one at a time, and a look does not take it',
    withStore(async ({ store }) => {
      const look = () => Promise.all(['one', 'two'].map((name) => store.isLocked(name)))
      assert.deepEqual(await look(), [false, false])
      const lock = await store.tryLock('one')
      assert.deepEqual(await look(), [true, false])
      assert.equal(await store.tryLock('one'), null)
      await lock?.release()
      assert.deepEqual(await look(), [false, false])
    }),
  )

  test(
    'what was written is there after reopening',
    withStore(async ({ store, reopen }) => {
      const cards = Array.from({ length: 50 }, (_, number) => makeCard(number))
      await Promise.all(cards.map((card) => store.write(insertCard, { card, audit: makeAuditEntry(card) })))
      const again = await reopen()
      for (const card of cards) assert.deepEqual(await again.read(findCard(card)), card)
    }),
  )

  test(
    'a database that is newer than the program, or has recorded another migration, is refused with a clear message',
    withStore(async ({ raw, reopen }) => {
      await raw(`insert into migrations (number, name, checksum) values (9999, 'later', 'x')`)
      await assert.rejects(reopen(), /newer than this program: it has migration 9999 \(later\)/)
      await raw('update migrations set compatible = 1 where number = 9999')
      await reopen()
      await raw('delete from migrations where number = 9999')
      await raw(`update migrations set checksum = 'x' where number = 1`)
      await assert.rejects(reopen(), /migration 1 \(cards\) was applied with another text/)
    }),
  )
}
