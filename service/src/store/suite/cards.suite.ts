import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findNewestAudited } from '../audit.ts'
import {
  type CardRow,
  countCardsByKey,
  findCard,
  insertCard,
  listCardsByKey,
  type ListedCard,
  listEndedCards,
  listSavedCards,
  resealCards,
  sweepCards,
  updateCard,
} from '../cards.ts'
import { listEvents } from '../outbox.ts'
import { updateReceipt } from '../receipts.ts'
import type { Store } from '../store.ts'
import { beginVerification, findVerification } from '../verifications.ts'
import {
  bytesOf,
  keyId,
  sampleVerification,
  makeCard,
  makeAuditEntry,
  clockAt,
  nextVersion,
  shreddedVersion,
  T0,
} from './samples.fixture.ts'
import { insertSampleReceipt, makeEvent, makeReceiptUpdate, makeReceipt, makeReceiptExtras, nextReceipt } from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function cardsSuite(withStore: WithStore): void {
  test(
    'a card is read as it was inserted',
    withStore(async ({ store }) => {
      const bare = makeCard(1)
      const full = makeCard(2, { customer: 'c-1', account: '{"order":"7"}', consent: '{"asserted":true}', verifiedAt: T0, endedAt: T0 + 5 })
      for (const card of [bare, full]) await insertSampleCard(store, card)
      assert.deepEqual(await store.read(findCard(bare)), bare)
      assert.deepEqual(await store.read(findCard(full)), full)
    }),
  )

  test(
    'a card is unknown under another merchant and in another bucket',
    withStore(async ({ store }) => {
      const card = makeCard(1)
      await insertSampleCard(store, card)
      assert.equal(await store.read(findCard({ ...card, merchantId: 'b'.repeat(24) })), null)
      assert.equal(await store.read(findCard({ ...card, bucket: card.bucket + 1 })), null)
      const foreign = { ...nextVersion(card), merchantId: 'b'.repeat(24) }
      assert.equal(await store.write(updateCard, { card: foreign, audit: makeAuditEntry(foreign) }), false)
      assert.deepEqual(await store.read(findCard(card)), card)
    }),
  )

  test(
    'any text from a merchant is read back character by character',
    withStore(async ({ store }) => {
      const texts = [...hostileTexts, ...fc.sample(fc.string({ unit: 'grapheme', maxLength: 128 }), { numRuns: 40, seed: 20261121 })]
      const cards = texts.map((text, n) => makeCard(n, { customer: text, account: JSON.stringify({ order: text }) }))
      await Promise.all(cards.map((card) => insertSampleCard(store, card)))
      for (const card of cards) assert.deepEqual(await store.read(findCard(card)), card)
    }),
  )

  test(
    'of many concurrent updates of one version exactly one succeeds',
    withStore(async ({ store }) => {
      const card = makeCard(1)
      await insertSampleCard(store, card)
      const nexts = Array.from({ length: 50 }, (_, n) => nextVersion(card, { customer: `writer ${n}`, mac: bytesOf(`writer ${n}`, 48) }))
      const made = await Promise.all(nexts.map((next) => store.write(updateCard, { card: next, audit: makeAuditEntry(next) })))
      assert.equal(made.filter(Boolean).length, 1)
      const winner = nexts[made.indexOf(true)]
      assert.deepEqual(await store.read(findCard(card)), winner)
      assert.deepEqual(await store.read(findNewestAudited(card.cardId)), { version: 2, mac: winner?.mac })
    }),
  )

  test(
    'shredding a card deletes its verification, and an update that comes too late deletes nothing',
    withStore(async ({ store }) => {
      const card = makeCard(1)
      await insertSampleCard(store, card)
      await store.write(beginVerification, {
        attempt: sampleVerification(card, 'one', clockAt(0)),
        limits: { resendWaitMs: 60_000, pan: null },
        audit: makeAuditEntry(card),
      })
      const late = shreddedVersion(nextVersion(card))
      assert.equal(await store.write(updateCard, { card: late, audit: makeAuditEntry(late) }), false)
      assert.notEqual(await store.read(findVerification(card)), null)
      const gone = shreddedVersion(card)
      assert.equal(await store.write(updateCard, { card: gone, audit: makeAuditEntry(gone) }), true)
      assert.equal(await store.read(findVerification(card)), null)
      assert.deepEqual(await store.read(findCard(card)), gone)
    }),
  )

  test(
    'cards are resealed together, each with its entry, but for one that another change came to first',
    withStore(async ({ store }) => {
      const cards = [1, 2, 3, 4].map((number) => makeCard(number))
      for (const card of cards) await insertSampleCard(store, card)
      const [, changed = makeCard(2)] = cards
      const first = nextVersion(changed, { customer: 'a payer' })
      assert.equal(await store.write(updateCard, { card: first, audit: makeAuditEntry(first) }), true)
      const next = cards.map((card) => nextVersion(card, { keyId: 'f'.repeat(32), blob: bytesOf(`resealed ${card.cardId}`, 112) }))
      const unknown = nextVersion(makeCard(5))
      const changes = [...next, unknown].map((card) => ({ card, audit: makeAuditEntry(card, 'card.resealed') }))
      assert.equal(await store.write(resealCards, { changes }), 3)
      for (const [at, card] of cards.entries()) {
        const stored = at === 1 ? first : next[at]
        assert.deepEqual(await store.read(findCard(card)), stored)
        assert.deepEqual(await store.read(findNewestAudited(card.cardId)), { version: 2, mac: stored?.mac })
      }
      assert.deepEqual([await store.read(findCard(unknown)), await store.read(findNewestAudited(unknown.cardId))], [null, null])
      assert.equal(await store.write(resealCards, { changes }), 0)
      assert.equal(await store.write(resealCards, { changes: [] }), 0)
    }),
  )

  test(
    'cards end together with their verifications and events, or none does when another change came to one of them first',
    withStore(async ({ store }) => {
      const cards = [1, 2, 3].map((number) => makeCard(number))
      for (const card of cards) {
        await insertSampleCard(store, card)
        const attempt = sampleVerification(card, card.cardId, clockAt(0))
        await store.write(beginVerification, { attempt, limits: { resendWaitMs: 60_000, pan: null }, audit: makeAuditEntry(card) })
      }
      const ended = cards.map((card): CardRow => ({ ...shreddedVersion(card), state: 'ended' }))
      const changesOf = (rows: readonly CardRow[]) =>
        rows.map((card) => ({ card, audit: makeAuditEntry(card, 'card.ended'), events: [makeEvent(card.cardId, card.cardId.slice(-4))] }))
      const countEvents = async () =>
        (await store.read(listEvents({ bucket: makeCard(1).bucket, merchantId: makeCard(1).merchantId, from: 0, count: 9 }))).length
      const late = ended.map((card, at) => (at === 2 ? nextVersion(card) : card))
      assert.equal(await store.write(sweepCards, { changes: changesOf(late) }), 0)
      for (const card of cards) {
        assert.deepEqual(await store.read(findCard(card)), card)
        assert.notEqual(await store.read(findVerification(card)), null)
      }
      assert.equal(await countEvents(), 0)
      assert.equal(await store.write(sweepCards, { changes: changesOf(ended) }), 3)
      for (const card of ended) {
        assert.deepEqual(await store.read(findCard(card)), card)
        assert.equal(await store.read(findVerification(card)), null)
        assert.deepEqual(await store.read(findNewestAudited(card.cardId)), { version: 2, mac: card.mac })
      }
      assert.equal(await countEvents(), 3)
    }),
  )

  test(
    'a card that cannot be inserted does not affect the others of the same batch',
    withStore(async ({ store }) => {
      await insertSampleCard(store, makeCard(3))
      const saved = await Promise.allSettled([1, 2, 3, 4, 5].map((number) => insertSampleCard(store, makeCard(number))))
      assert.deepEqual(
        saved.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
      )
      for (const number of [1, 2, 3, 4, 5]) assert.deepEqual(await store.read(findCard(makeCard(number))), makeCard(number))
    }),
  )

  test(
    'cards whose lifetime ended are listed oldest first, and only while they hold a sealed PAN',
    withStore(async ({ store }) => {
      const [late, early, future, gone] = [
        makeCard(1, { endsAt: 500 }),
        makeCard(2, { endsAt: 100 }),
        makeCard(3),
        makeCard(4, { endsAt: 1 }),
      ]
      for (const card of [late, early, future, gone]) await insertSampleCard(store, card)
      await store.write(updateCard, { card: shreddedVersion(gone), audit: makeAuditEntry(gone) })
      assert.deepEqual(await store.read(listEndedCards(501, 10)), [early, late])
      assert.deepEqual(await store.read(listEndedCards(500, 10)), [early])
      assert.deepEqual(await store.read(listEndedCards(501, 1)), [early])
    }),
  )

  test(
    'an expired card is listed as ended when its time is over, and one that money is held on only after the hold ended',
    withStore(async ({ store }) => {
      const [expired, held, holding, paid] = [1, 2, 3, 4].map((number) => makeCard(number, { endsAt: number })) as [
        CardRow,
        CardRow,
        CardRow,
        CardRow,
      ]
      for (const card of [expired, held, holding, paid]) await insertSampleCard(store, card)
      const next = nextVersion(expired, { state: 'expired' })
      await store.write(beginVerification, {
        attempt: sampleVerification(expired, 'one', clockAt(0)),
        limits: { resendWaitMs: 60_000, pan: null },
        audit: makeAuditEntry(expired),
      })
      assert.equal(await store.write(updateCard, { card: next, audit: makeAuditEntry(next) }), true)
      assert.notEqual(await store.read(findVerification(expired)), null, 'only shredding deletes the verification')
      const receipt = await insertSampleReceipt(store, makeReceipt(1, { cardId: held.cardId, state: 5 }))
      await insertSampleReceipt(store, makeReceipt(2, { cardId: holding.cardId, state: 6 }))
      await insertSampleReceipt(store, makeReceipt(3, { cardId: paid.cardId, state: 4 }))
      assert.deepEqual(await store.read(listEndedCards(1000, 10)), [next, paid])
      const cancelled = nextReceipt(receipt, { state: 50 })
      assert.equal(await store.write(updateReceipt, { ...makeReceiptUpdate(cancelled), ...makeReceiptExtras(cancelled) }), 'updated')
      assert.deepEqual(await store.read(listEndedCards(1000, 10)), [next, held, paid])
    }),
  )

  test(
    'of the cards that end soon only live, saved and verified ones are listed as saved',
    withStore(async ({ store }) => {
      const saved = makeCard(1, { verified: true, endsAt: 200 })
      const first = makeCard(2, { verified: true, endsAt: 100 })
      const others = [
        makeCard(3, { endsAt: 100 }),
        makeCard(4, { verified: true, recurrent: false, endsAt: 100 }),
        makeCard(5, { verified: true, endsAt: 201 }),
        makeCard(6, { verified: true, state: 'expired', endsAt: 100 }),
        makeCard(7, { verified: true, state: 'removed', endsAt: 100 }),
      ]
      for (const card of [saved, first, ...others]) await insertSampleCard(store, card)
      assert.deepEqual(await store.read(listSavedCards(201, 10)), [first, saved])
      assert.deepEqual(await store.read(listSavedCards(201, 1)), [first])
    }),
  )

  test(
    'the pages of the cards under a key contain each card once, in the order of their ids',
    withStore(async ({ store }) => {
      const cards = Array.from({ length: 23 }, (_, n) => makeCard((n * 7919) % 1000, { keyId: n % 5 === 0 ? 'other' : keyId }))
      await Promise.all(cards.map((card) => insertSampleCard(store, card)))
      const listed: ListedCard[] = []
      for (
        let page = await store.read(listCardsByKey(keyId, '', 5));
        page.length > 0;
        page = await store.read(listCardsByKey(keyId, after(page), 5))
      ) {
        listed.push(...page)
      }
      const wanted = cards.filter((card) => card.keyId === keyId).sort((a, b) => (a.cardId < b.cardId ? -1 : 1))
      assert.deepEqual(listed, wanted)
      assert.deepEqual(await store.read(countCardsByKey()), [
        { keyId, cards: wanted.length },
        { keyId: 'other', cards: cards.length - wanted.length },
      ])
    }),
  )

  test(
    'reading a broken card fails with the name of its column, and other cards are served',
    withStore(async ({ store, raw }) => {
      const [good, bad] = [makeCard(1), makeCard(2, { customer: 'c' })]
      for (const card of [good, bad]) await insertSampleCard(store, card)
      for (const [column, value] of brokenValues) {
        await raw(`update cards set ${column} = ${value} where card_id = '${bad.cardId}'`)
        await assert.rejects(store.read(findCard(bad)), new RegExp(`broken at column ${column}`))
        await raw(`update cards set expiry = '0399', state = 'live', verified = 0, customer = null where card_id = '${bad.cardId}'`)
      }
      assert.deepEqual(await store.read(findCard(good)), good)
    }),
  )

  test(
    'a broken card in a list has its column and ids, beside the others, and the next page continues after it',
    withStore(async ({ store, raw }) => {
      const saved = { recurrent: true, verified: true }
      const [before, bad, after] = [1, 2, 3].map((number) => makeCard(number, { ...saved, endsAt: number * 100, customer: 'c' }))
      for (const card of [before!, bad!, after!]) await insertSampleCard(store, card)
      const { cardId, merchantId, endsAt } = bad!
      for (const [column, value] of [['customer', `'"a'`] as const, ['created_at', '9007199254740993'] as const]) {
        await raw(`update cards set ${column} = ${value} where card_id = '${cardId}'`)
        const createdAt = column === 'created_at' ? Number.MAX_SAFE_INTEGER : bad!.createdAt
        const broken = { brokenAt: column, merchantId, cardId, endsAt, createdAt }
        assert.deepEqual(await store.read(listEndedCards(1000, 10)), [before, broken, after])
        assert.deepEqual(await store.read(listSavedCards(1000, 10)), [before, broken, after])
        assert.deepEqual(await store.read(listCardsByKey(keyId, '', 10)), [before, broken, after])
        assert.deepEqual(await store.read(listEndedCards(1000, 10, broken)), [after])
        assert.deepEqual(await store.read(listSavedCards(1000, 10, broken)), [after])
        await raw(`update cards set customer = '"c"', created_at = ${bad!.createdAt} where card_id = '${cardId}'`)
      }
    }),
  )
}

async function insertSampleCard(store: Store, card: CardRow): Promise<void> {
  await store.write(insertCard, { card, audit: makeAuditEntry(card, 'card.created') })
}

function after(page: readonly ListedCard[]): string {
  return page.at(-1)?.cardId ?? ''
}

const brokenValues = [
  ['expiry', `'1399'`],
  ['state', `'alive'`],
  ['verified', '2'],
  ['customer', `'{"a":1}'`],
  ['customer', `'"a'`],
] as const

const hostileTexts = [
  '',
  ' ',
  "'; drop table cards; --",
  '$1 ?1 :a @b',
  '%s %00',
  '\\x41',
  '\\',
  '"',
  '\u0000',
  'a\u0000b',
  '\u001b[31m',
  '\r\n\t',
  'null',
  'undefined',
  'NaN',
  '__proto__',
  '{}',
  '1e400',
  '０１２',
  'Ō‘zbekiston',
  'ﷺ',
  '👩‍👩‍👧',
  '\u202Eabc',
  '\uFEFF',
  '\uFFFF',
  'i̇̀'.repeat(30),
]
