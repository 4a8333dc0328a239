import assert from 'node:assert/strict'
import { test } from 'node:test'

import { type AuditHead, listAuditEntries } from '../audit.ts'
import { findCard, insertCard } from '../cards.ts'
import { deleteOldCounters } from '../counters.ts'
import { StoreUnavailable, type AuditCommit, type Store } from '../store.ts'
import { makeAuditEntry, makeCard } from '../suite/samples.fixture.ts'
import { shareStore, withSqlite } from './with-store.fixture.ts'

const insert = async (store: Store, number: number): Promise<void> => {
  const card = makeCard(number)
  await store.write(insertCard, { card, audit: makeAuditEntry(card) })
}

test(
  'writes of several threads that wait at the same time share commits, and their entries are one chain',
  withSqlite(async ({ store }) => {
    const [second, third] = [shareStore(store), shareStore(store)]
    const before = store.commitCount()
    for (let round = 0; round < 20; round++) await Promise.all([store, second, third].map((each, at) => insert(each, round * 3 + at + 1)))
    const commits = store.commitCount() - before
    // Threads that commit separately need one for each of the 60 writes. The first message of a round may be alone.
    assert.ok(commits <= 45, `${commits} commits`)
    const entries = await store.read(listAuditEntries('embedded', 0, 100))
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      Array.from({ length: 60 }, (_, at) => at + 1),
    )
    for (const each of [store, second, third]) assert.deepEqual(each.auditHeads(), [headOf(entries.at(-1))])
    await Promise.all([second.close(5000), third.close(5000)])
  }),
)

test(
  'every thread learns of each commit before its writes are acknowledged anywhere',
  withSqlite(async ({ store }) => {
    const second = shareStore(store)
    const seen: AuditCommit[] = []
    second.watchAudit((commit) => seen.push(commit))
    await insert(store, 1)
    assert.notEqual(await second.read(findCard(makeCard(1))), null)
    await insert(second, 2)
    assert.deepEqual(
      seen.map(({ before, after }) => [before.seq, after.seq]),
      [
        [0, 1],
        [1, 2],
      ],
    )
    await second.close(5000)
  }),
)

test(
  'a write of a background job shares no commit with those of another thread',
  withSqlite(async ({ store }) => {
    const second = shareStore(store)
    const before = store.commitCount()
    await Promise.all([store.write(deleteOldCounters, { before: 0 }), insert(second, 1), insert(second, 2)])
    assert.equal(store.commitCount() - before, 2)
    await second.close(5000)
  }),
)

test(
  'a thread that ends leaves the others writing, and its own later writes are refused',
  withSqlite(async ({ store }) => {
    const second = shareStore(store)
    await insert(second, 1)
    await second.close(5000)
    await assert.rejects(insert(second, 2), StoreUnavailable)
    await insert(store, 3)
    assert.notEqual(await store.read(findCard(makeCard(3))), null)
  }),
)

function headOf(entry: AuditHead | undefined): AuditHead {
  if (entry === undefined) return assert.fail('there is no entry')
  return { chain: entry.chain, seq: entry.seq, hash: entry.hash }
}
