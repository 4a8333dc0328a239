import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRows } from '../../ops/audit/rows.ts'
import { verifyChain } from '../../ops/audit/verify.ts'
import { type AuditHead, listAuditEntries, listAuditHeads, listAuditOfSubject } from '../audit.ts'
import { findCard, insertCard, updateCard } from '../cards.ts'
import { noWalk } from '../walk.ts'
import type { Store } from '../store.ts'
import { bytesOf, makeCard, makeAuditEntry, nextVersion, shreddedVersion } from './samples.fixture.ts'
import { testAuditKey, testAuditKeys } from './audit-key.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function auditSuite(withStore: WithStore): void {
  test(
    'every change is in an audit chain, the chains verify, and a refused write leaves no entry',
    withStore(async ({ store }) => {
      await change(store, 40)
      const refused = await Promise.allSettled([1, 50, 2, 51].map((number) => insert(store, number)))
      assert.deepEqual(
        refused.map(({ status }) => status),
        ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
      )
      const stale = nextVersion(makeCard(1))
      assert.equal(await store.write(updateCard, { card: stale, audit: makeAuditEntry(stale) }), false)
      await insert(store, 52)
      assert.equal(await countVerifiedEntries(store), 40 + 40 + 3)
    }),
  )

  test(
    'an entry contains what was written',
    withStore(async ({ store }) => {
      const audit = makeAuditEntry(makeCard(1), 'card.created', {
        outcome: 'o‘zgardi',
        address: '203.0.113.7',
        changes: [{ name: 'role', from: null, to: 'owner' }],
      })
      await store.write(insertCard, { card: makeCard(1), audit })
      const [head] = await listAuditHeads(store)
      const [entry] = await store.read(listAuditEntries(head!.chain, 0, 10))
      const link = { chain: head!.chain, seq: 1, hash: head!.hash, keyId: testAuditKey.keyId }
      assert.deepEqual(entry, { ...audit, ...link, address: '203.0.113.7', changes: '[["role",null,"owner"]]' })
      assert.deepEqual(await store.read(listAuditEntries(head!.chain, 1, 10)), [])
    }),
  )

  test(
    'an entry of the first version is shown under the present names of its action and outcome, and its chain verifies',
    withStore(async ({ store }) => {
      const card = makeCard(1)
      await store.write(insertCard, { card, audit: makeAuditEntry(card, 'code.asked', { outcome: 'asked' }) })
      const [shown] = await store.read(listAuditOfSubject(card.merchantId, card.cardId, 10))
      assert.deepEqual([shown?.action, shown?.outcome], ['code.requested', 'requested'])
      const [head] = await listAuditHeads(store)
      const [stored] = await store.read(listAuditEntries(head!.chain, 0, 10))
      assert.deepEqual([stored?.action, stored?.outcome], ['code.asked', 'asked'])
      assert.equal(await countVerifiedEntries(store), 1)
    }),
  )

  test(
    'a reopened store continues its audit chains',
    withStore(async ({ store, reopen }) => {
      await change(store, 5)
      const again = await reopen()
      await insert(again, 100)
      assert.equal(await countVerifiedEntries(again), 11)
      assert.deepEqual(await again.read(findCard(makeCard(100))), makeCard(100))
    }),
  )

  test(
    'an entry that was edited, removed or cut off is found with its position',
    withStore(async ({ store, raw }) => {
      for (let number = 0; number < 6; number++) await insert(store, number)
      const [head] = await listAuditHeads(store)
      const verify = (known: AuditHead[] = []): Promise<unknown> =>
        verifyChain(head!.chain, { store, keys: testAuditKeys, known }).then(({ faults }) => faults)
      assert.deepEqual(await verify([head!]), [])

      await raw(`update audit set outcome = 'nothing' where seq = 3`)
      assert.deepEqual(await verify(), [{ seq: 3, fault: 'edited' }])
      await raw(`update audit set outcome = 'done' where seq = 3`)
      await raw('update audit set at = at + 1 where seq = 4')
      assert.deepEqual(await verify(), [{ seq: 4, fault: 'edited' }])
      await raw('delete from audit where seq = 4')
      assert.deepEqual(await verify(), [{ seq: 5, fault: 'gap' }])
      await raw('delete from audit where seq > 3')
      assert.deepEqual(await verify(), [])
      assert.deepEqual(await verify([head!]), [{ seq: 4, fault: 'cut' }])
    }),
  )

  test(
    'a recomputed chain is detected by a head that was recorded elsewhere',
    withStore(async ({ store }) => {
      for (let number = 0; number < 3; number++) await insert(store, number)
      const [head] = await listAuditHeads(store)
      const known = { ...head!, hash: bytesOf('recorded before') }
      assert.deepEqual((await verifyChain(head!.chain, { store, keys: testAuditKeys, known: [known] })).faults, [
        { seq: head!.seq, fault: 'rewritten' },
      ])
    }),
  )

  test(
    'a restored old row is detected, and so are rows that the audit does not know or that cannot be read',
    withStore(async ({ store, raw }) => {
      const cards = [1, 2, 3, 4, 5].map((number) => makeCard(number))
      for (const card of cards) await store.write(insertCard, { card, audit: makeAuditEntry(card) })
      const next = nextVersion(cards[0]!, { verified: true })
      const gone = shreddedVersion(cards[1]!)
      for (const changed of [next, gone])
        assert.equal(await store.write(updateCard, { card: changed, audit: makeAuditEntry(changed) }), true)
      assert.deepEqual(await findRowFaults(store), [null, null, null, null, null])

      const restoreOldRow = (card: typeof next): Promise<unknown> =>
        raw(
          `update cards set version = ${card.version}, verified = 0, state = 'live', key_id = '${card.keyId}' where card_id = '${card.cardId}'`,
        )
      for (const card of [cards[0]!, cards[1]!]) await restoreOldRow(card)
      await raw(`update cards set version = 9 where card_id = '${cards[2]!.cardId}'`)
      await raw(`update cards set mac = blob where card_id = '${cards[3]!.cardId}'`)
      await raw(`update cards set verified = 2 where card_id = '${cards[4]!.cardId}'`)
      assert.deepEqual(await findRowFaults(store), [
        'an older row was restored: it has version 1, the audit 2',
        'an older row was restored: it has version 1, the audit 2',
        'the audit has no entry for its version 9',
        'its row MAC is not the one in the audit',
        'its row cannot be read: column verified is broken',
      ])
    }),
  )
}

/** With every MAC valid, so that only the audit reveals faults. */
async function findRowFaults(store: Store): Promise<(string | null)[]> {
  const right = { hasValidMac: () => Promise.resolve(true) }
  const faults: (string | null)[] = []
  for await (const { fault } of checkRows({ store, macOf: () => right, walk: noWalk })) faults.push(fault?.what ?? null)
  return faults
}

async function insert(store: Store, number: number): Promise<void> {
  await store.write(insertCard, { card: makeCard(number), audit: makeAuditEntry(makeCard(number), 'card.created') })
}

/** Inserts `count` cards and updates each, concurrently. */
async function change(store: Store, count: number): Promise<void> {
  const cards = Array.from({ length: count }, (_, number) => makeCard(number))
  await Promise.all(cards.map((card) => store.write(insertCard, { card, audit: makeAuditEntry(card, 'card.created') })))
  await Promise.all(cards.map((card) => store.write(updateCard, { card: nextVersion(card), audit: makeAuditEntry(nextVersion(card)) })))
}

/** Verifies every chain, and counts the entries of all. */
export async function countVerifiedEntries(store: Store): Promise<number> {
  let sum = 0
  for (const head of await listAuditHeads(store)) {
    const report = await verifyChain(head.chain, { store, keys: testAuditKeys, known: [head] })
    assert.deepEqual(report.faults, [], head.chain)
    sum += report.entries
  }
  return sum
}
