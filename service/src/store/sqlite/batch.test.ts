import assert from 'node:assert/strict'
import { test } from 'node:test'

import { listAuditEntries } from '../audit.ts'
import { findCard, insertCard, updateCard } from '../cards.ts'
import type { Store } from '../store.ts'
import { makeAuditEntry, makeCard } from '../suite/samples.fixture.ts'
import { withSqlite } from './with-store.fixture.ts'

test(
  'what fails or rolls back takes nothing of its batch with it, in the batch that is repeated for it and in those after it',
  withSqlite(async ({ store }) => {
    await insert(store, 0)
    // Of more batches than have savepoints after a failure.
    for (let batch = 0; batch < 70; batch++) {
      const commits = store.commitCount()
      const isBad = batch % 40 < 2
      const [first, failed, conflict, second] = await Promise.allSettled([
        insert(store, 2 * batch + 1),
        isBad ? insert(store, 0) : null,
        isBad ? update(store, 0) : null,
        insert(store, 2 * batch + 2),
      ])
      assert.equal(store.commitCount() - commits, 1)
      assert.deepEqual([first.status, second.status], ['fulfilled', 'fulfilled'])
      assert.equal(failed.status, isBad ? 'rejected' : 'fulfilled')
      assert.deepEqual(conflict, { status: 'fulfilled', value: isBad ? false : null })
    }
    for (let number = 0; number <= 140; number++) assert.notEqual(await store.read(findCard(makeCard(number))), null)
    const entries = await store.read(listAuditEntries('embedded', 0, 1000))
    assert.deepEqual(
      entries.map(({ seq, subject, version }) => [seq, subject, version]),
      Array.from({ length: 141 }, (_, number) => [number + 1, makeCard(number).cardId, 1]),
    )
    assert.deepEqual(
      store.auditHeads().map(({ seq }) => seq),
      [141],
    )
  }),
)

function insert(store: Store, number: number): Promise<void> {
  const card = makeCard(number)
  return store.write(insertCard, { card, audit: makeAuditEntry(card) })
}

/** A change of a version that the card does not have. */
function update(store: Store, number: number): Promise<boolean> {
  const card = { ...makeCard(number), version: 9 }
  return store.write(updateCard, { card, audit: makeAuditEntry(card) })
}
