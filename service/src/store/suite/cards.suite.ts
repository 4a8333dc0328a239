import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CardRow, ListedCard, Store } from '../store.ts'
import { bytesOf, keyId, makeAttempt, makeCard, makeNote, momentAt, nextOf, shreddedOf, T0 } from './samples.fixture.ts'
import { keepReceipt, makeChange, makeReceipt, makeRiders, nextReceipt } from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function cardsSuite(withStore: WithStore): void {
  test(
    'a card comes back as it was kept',
    withStore(async ({ store }) => {
      const bare = makeCard(1)
      const full = makeCard(2, { customer: 'c-1', account: '{"order":"7"}', consent: '{"asserted":true}', verifiedAt: T0, endedAt: T0 + 5 })
      for (const card of [bare, full]) await keep(store, card)
      assert.deepEqual(await store.findCard(bare), bare)
      assert.deepEqual(await store.findCard(full), full)
    }),
  )

  test(
    'a card is unknown under another merchant and in another bucket',
    withStore(async ({ store }) => {
      const card = makeCard(1)
      await keep(store, card)
      assert.equal(await store.findCard({ ...card, merchantId: 'b'.repeat(24) }), null)
      assert.equal(await store.findCard({ ...card, bucket: card.bucket + 1 }), null)
      const foreign = { ...nextOf(card), merchantId: 'b'.repeat(24) }
      assert.equal(await store.changeCard(foreign, makeNote(foreign)), false)
      assert.deepEqual(await store.findCard(card), card)
    }),
  )

  test(
    'any text that a merchant gives comes back letter for letter',
    withStore(async ({ store }) => {
      const texts = [...NAUGHTY, ...fc.sample(fc.string({ unit: 'grapheme', maxLength: 128 }), { numRuns: 40, seed: 20261121 })]
      const cards = texts.map((text, n) => makeCard(n, { customer: text, account: JSON.stringify({ order: text }) }))
      await Promise.all(cards.map((card) => keep(store, card)))
      for (const card of cards) assert.deepEqual(await store.findCard(card), card)
    }),
  )

  test(
    'of many changes of one version exactly one is made',
    withStore(async ({ store }) => {
      const card = makeCard(1)
      await keep(store, card)
      const nexts = Array.from({ length: 50 }, (_, n) => nextOf(card, { customer: `writer ${n}`, mac: bytesOf(`writer ${n}`, 48) }))
      const made = await Promise.all(nexts.map((next) => store.changeCard(next, makeNote(next))))
      assert.equal(made.filter(Boolean).length, 1)
      const winner = nexts[made.indexOf(true)]
      assert.deepEqual(await store.findCard(card), winner)
      assert.deepEqual(await store.newestAuditOf(card.cardId), { version: 2, mac: winner?.mac })
    }),
  )

  test(
    'shredding a card drops its code, and a change that comes too late drops nothing',
    withStore(async ({ store }) => {
      const card = makeCard(1)
      await keep(store, card)
      await store.beginVerification(makeAttempt(card, 'one', momentAt(0)), { resendWaitMs: 60_000, pan: null }, makeNote(card))
      const late = shreddedOf(nextOf(card))
      assert.equal(await store.changeCard(late, makeNote(late)), false)
      assert.notEqual(await store.findVerification(card), null)
      const gone = shreddedOf(card)
      assert.equal(await store.changeCard(gone, makeNote(gone)), true)
      assert.equal(await store.findVerification(card), null)
      assert.deepEqual(await store.findCard(card), gone)
    }),
  )

  test(
    'a card that cannot be kept leaves its neighbours of the same turn kept',
    withStore(async ({ store }) => {
      await keep(store, makeCard(3))
      const kept = await Promise.allSettled([1, 2, 3, 4, 5].map((number) => keep(store, makeCard(number))))
      assert.deepEqual(
        kept.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
      )
      for (const number of [1, 2, 3, 4, 5]) assert.deepEqual(await store.findCard(makeCard(number)), makeCard(number))
    }),
  )

  test(
    'cards whose life ended are listed oldest first, and only while they hold a sealed PAN',
    withStore(async ({ store }) => {
      const [late, early, future, gone] = [
        makeCard(1, { endsAt: 500 }),
        makeCard(2, { endsAt: 100 }),
        makeCard(3),
        makeCard(4, { endsAt: 1 }),
      ]
      for (const card of [late, early, future, gone]) await keep(store, card)
      await store.changeCard(shreddedOf(gone), makeNote(gone))
      assert.deepEqual(await store.listEndedCards(501, 10), [early, late])
      assert.deepEqual(await store.listEndedCards(500, 10), [early])
      assert.deepEqual(await store.listEndedCards(501, 1), [early])
    }),
  )

  test(
    'a card that expired is listed as ended when its time is over, and one that money is held on is not until it is settled',
    withStore(async ({ store }) => {
      const [expired, held, asked, paid] = [1, 2, 3, 4].map((number) => makeCard(number, { endsAt: number })) as [
        CardRow,
        CardRow,
        CardRow,
        CardRow,
      ]
      for (const card of [expired, held, asked, paid]) await keep(store, card)
      const next = nextOf(expired, { state: 'expired' })
      await store.beginVerification(makeAttempt(expired, 'one', momentAt(0)), { resendWaitMs: 60_000, pan: null }, makeNote(expired))
      assert.equal(await store.changeCard(next, makeNote(next)), true)
      assert.notEqual(await store.findVerification(expired), null, 'only shredding drops the code')
      const receipt = await keepReceipt(store, makeReceipt(1, { cardId: held.cardId, state: 5 }))
      await keepReceipt(store, makeReceipt(2, { cardId: asked.cardId, state: 6 }))
      await keepReceipt(store, makeReceipt(3, { cardId: paid.cardId, state: 4 }))
      assert.deepEqual(await store.listEndedCards(1000, 10), [next, paid])
      const cancelled = nextReceipt(receipt, { state: 50 })
      assert.equal(await store.changeReceipt(makeChange(cancelled), makeRiders(cancelled)), 'changed')
      assert.deepEqual(await store.listEndedCards(1000, 10), [next, held, paid])
    }),
  )

  test(
    'of the cards that end soon only live ones that are kept and verified are listed as kept',
    withStore(async ({ store }) => {
      const kept = makeCard(1, { verified: true, endsAt: 200 })
      const first = makeCard(2, { verified: true, endsAt: 100 })
      const others = [
        makeCard(3, { endsAt: 100 }),
        makeCard(4, { verified: true, recurrent: false, endsAt: 100 }),
        makeCard(5, { verified: true, endsAt: 201 }),
        makeCard(6, { verified: true, state: 'expired', endsAt: 100 }),
        makeCard(7, { verified: true, state: 'removed', endsAt: 100 }),
      ]
      for (const card of [kept, first, ...others]) await keep(store, card)
      assert.deepEqual(await store.listKeptCards(201, 10), [first, kept])
      assert.deepEqual(await store.listKeptCards(201, 1), [first])
    }),
  )

  test(
    'pages of the cards under a key hold each card once, in the order of their ids',
    withStore(async ({ store }) => {
      const cards = Array.from({ length: 23 }, (_, n) => makeCard((n * 7919) % 1000, { keyId: n % 5 === 0 ? 'other' : keyId }))
      await Promise.all(cards.map((card) => keep(store, card)))
      const listed: ListedCard[] = []
      for (
        let page = await store.listCardsUnderKey(keyId, '', 5);
        page.length > 0;
        page = await store.listCardsUnderKey(keyId, after(page), 5)
      ) {
        listed.push(...page)
      }
      const wanted = cards.filter((card) => card.keyId === keyId).sort((a, b) => (a.cardId < b.cardId ? -1 : 1))
      assert.deepEqual(listed, wanted)
      assert.deepEqual(await store.countCardsByKey(), [
        { keyId, cards: wanted.length },
        { keyId: 'other', cards: cards.length - wanted.length },
      ])
    }),
  )

  test(
    'a broken card is refused by the name of its column, and the others are served',
    withStore(async ({ store, raw }) => {
      const [good, bad] = [makeCard(1), makeCard(2, { customer: 'c' })]
      for (const card of [good, bad]) await keep(store, card)
      for (const [column, value] of BROKEN) {
        await raw(`update cards set ${column} = ${value} where card_id = '${bad.cardId}'`)
        await assert.rejects(store.findCard(bad), new RegExp(`broken at column ${column}`))
        await raw(`update cards set expiry = '0399', state = 'live', verified = 0, customer = null where card_id = '${bad.cardId}'`)
      }
      assert.deepEqual(await store.findCard(good), good)
    }),
  )

  test(
    'a broken card in a list is told by its column and its place, beside the others, and the next page goes on behind it',
    withStore(async ({ store, raw }) => {
      const kept = { recurrent: true, verified: true }
      const [before, bad, after] = [1, 2, 3].map((number) => makeCard(number, { ...kept, endsAt: number * 100, customer: 'c' }))
      for (const card of [before!, bad!, after!]) await keep(store, card)
      const { cardId, merchantId, endsAt } = bad!
      for (const [column, value] of [['customer', `'"a'`] as const, ['created_at', '9007199254740993'] as const]) {
        await raw(`update cards set ${column} = ${value} where card_id = '${cardId}'`)
        const createdAt = column === 'created_at' ? Number.MAX_SAFE_INTEGER : bad!.createdAt
        const broken = { brokenAt: column, merchantId, cardId, endsAt, createdAt }
        assert.deepEqual(await store.listEndedCards(1000, 10), [before, broken, after])
        assert.deepEqual(await store.listKeptCards(1000, 10), [before, broken, after])
        assert.deepEqual(await store.listCardsUnderKey(keyId, '', 10), [before, broken, after])
        assert.deepEqual(await store.listEndedCards(1000, 10, broken), [after])
        assert.deepEqual(await store.listKeptCards(1000, 10, broken), [after])
        await raw(`update cards set customer = '"c"', created_at = ${bad!.createdAt} where card_id = '${cardId}'`)
      }
    }),
  )
}

async function keep(store: Store, card: CardRow): Promise<void> {
  await store.insertCard(card, makeNote(card, 'card.created'))
}

function after(page: readonly ListedCard[]): string {
  return page.at(-1)?.cardId ?? ''
}

const BROKEN = [
  ['expiry', `'1399'`],
  ['state', `'alive'`],
  ['verified', '2'],
  ['customer', `'{"a":1}'`],
  ['customer', `'"a'`],
] as const

const NAUGHTY = [
  ...['', ' ', "'; drop table cards; --", '$1 ?1 :a @b', '%s %00', '\\x41', '\\', '"', '\u0000', 'a\u0000b', '\u001b[31m', '\r\n\t'],
  ...[
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
  ],
]
