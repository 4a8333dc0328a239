import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkRows } from '../../audit/rows.ts'
import { verifyChain } from '../../audit/verify.ts'
import type { AuditHead, Store } from '../store.ts'
import { bytesOf, makeCard, makeNote, nextOf, shreddedOf } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function auditSuite(withStore: WithStore): void {
  test(
    'every change is in a chain, chains hold, and what was refused left no link behind',
    withStore(async ({ store }) => {
      await change(store, 40)
      const refused = await Promise.allSettled([1, 50, 2, 51].map((number) => insert(store, number)))
      assert.deepEqual(
        refused.map(({ status }) => status),
        ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
      )
      const stale = nextOf(makeCard(1))
      assert.equal(await store.changeCard(stale, makeNote(stale)), false)
      await insert(store, 52)
      assert.equal(await sumOfSoundChains(store), 40 + 40 + 3)
    }),
  )

  test(
    'an entry tells what was noted',
    withStore(async ({ store }) => {
      const note = makeNote(makeCard(1), 'card.created', { outcome: 'o‘zgardi' })
      await store.insertCard(makeCard(1), note)
      const [head] = await store.listAuditChains()
      const [entry] = await store.readAudit(head!.chain, 0, 10)
      assert.deepEqual(entry, { ...note, chain: head!.chain, seq: 1, hash: head!.hash })
      assert.deepEqual(await store.readAudit(head!.chain, 1, 10), [])
    }),
  )

  test(
    'a store opened anew goes on with its chains',
    withStore(async ({ store, reopen }) => {
      await change(store, 5)
      const again = await reopen()
      await insert(again, 100)
      assert.equal(await sumOfSoundChains(again), 11)
      assert.deepEqual(await again.findCard(makeCard(100)), makeCard(100))
    }),
  )

  test(
    'an entry that was edited, taken out or cut off is found by its place',
    withStore(async ({ store, raw }) => {
      for (let number = 0; number < 6; number++) await insert(store, number)
      const [head] = await store.listAuditChains()
      const verify = (known: AuditHead[] = []): Promise<unknown> => verifyChain(store, head!.chain, known).then(({ faults }) => faults)
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
    'a chain that was computed anew is found by a head that was noted elsewhere',
    withStore(async ({ store }) => {
      for (let number = 0; number < 3; number++) await insert(store, number)
      const [head] = await store.listAuditChains()
      const known = { ...head!, hash: bytesOf('noted before') }
      assert.deepEqual((await verifyChain(store, head!.chain, [known])).faults, [{ seq: head!.seq, fault: 'rewritten' }])
    }),
  )

  test(
    'an old row put back whole is found, and so are rows that the audit does not know or nobody can read',
    withStore(async ({ store, raw }) => {
      const cards = [1, 2, 3, 4, 5].map((number) => makeCard(number))
      for (const card of cards) await store.insertCard(card, makeNote(card))
      const next = nextOf(cards[0]!, { verified: true })
      const gone = shreddedOf(cards[1]!)
      for (const changed of [next, gone]) assert.equal(await store.changeCard(changed, makeNote(changed)), true)
      assert.deepEqual(await found(store), [null, null, null, null])

      const old = (card: typeof next): Promise<unknown> =>
        raw(
          `update cards set version = ${card.version}, verified = 0, state = 'live', key_id = '${card.keyId}' where card_id = '${card.cardId}'`,
        )
      for (const card of [cards[0]!, cards[1]!]) await old(card)
      await raw(`update cards set version = 9 where card_id = '${cards[2]!.cardId}'`)
      await raw(`update cards set mac = blob where card_id = '${cards[3]!.cardId}'`)
      await raw(`update cards set verified = 2 where card_id = '${cards[4]!.cardId}'`)
      assert.deepEqual(await found(store), [
        'an older row was put back: version 1, the audit tells of 2',
        'an older row was put back: version 1, the audit tells of 2',
        'the audit does not tell of its version 9',
        'its row MAC is not the one in the audit',
        'its row cannot be read: column verified is broken',
      ])
    }),
  )
}

/** With MACs that are all right: what is left to find is what the audit tells. */
async function found(store: Store): Promise<(string | null)[]> {
  const right = { isTrue: () => Promise.resolve(true) }
  const told: (string | null)[] = []
  for await (const { fault } of checkRows(store, { card: right, receipt: right, merchant: right })) told.push(fault?.what ?? null)
  return told
}

async function insert(store: Store, number: number): Promise<void> {
  await store.insertCard(makeCard(number), makeNote(makeCard(number), 'card.created'))
}

/** Makes `count` cards and changes each, all at once. */
async function change(store: Store, count: number): Promise<void> {
  const cards = Array.from({ length: count }, (_, number) => makeCard(number))
  await Promise.all(cards.map((card) => store.insertCard(card, makeNote(card, 'card.created'))))
  await Promise.all(cards.map((card) => store.changeCard(nextOf(card), makeNote(nextOf(card)))))
}

/** Verifies every chain, and counts the entries of all. */
export async function sumOfSoundChains(store: Store): Promise<number> {
  let sum = 0
  for (const head of await store.listAuditChains()) {
    const report = await verifyChain(store, head.chain, [head])
    assert.deepEqual(report.faults, [], head.chain)
    sum += report.entries
  }
  return sum
}
