import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, makeAttempt, makeCard, makeNote, momentAt, shreddedOf, T0 } from './samples.fixture.ts'
import { keepReceipt, makeChange, makeOperation, makeReceipt, makeRiders, nextReceipt } from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function receiptsSuite(withStore: WithStore): void {
  test(
    'a receipt comes back as it was kept, and then as it was changed',
    withStore(async ({ store }) => {
      const bare = await keepReceipt(store, makeReceipt(1))
      const full = await keepReceipt(store, makeReceipt(2, everything))
      assert.deepEqual(await store.findReceipt(bare), bare)
      assert.deepEqual(await store.findReceipt(full), full)
      const next = nextReceipt(bare, { ...everything, state: 50, amountTiyin: bare.amountTiyin })
      assert.equal(await store.changeReceipt(makeChange(next), makeRiders(next)), 'changed')
      assert.deepEqual(await store.findReceipt(bare), next)
      assert.deepEqual(await store.newestAuditOf(bare.receiptId), { version: 2, mac: next.mac })
    }),
  )

  test(
    'a receipt is unknown under another merchant and in another bucket',
    withStore(async ({ store }) => {
      const receipt = await keepReceipt(store, makeReceipt(1))
      const foreign = { ...receipt, merchantId: 'b'.repeat(24) }
      assert.equal(await store.findReceipt(foreign), null)
      assert.equal(await store.findReceipt({ ...receipt, bucket: receipt.bucket + 1 }), null)
      const next = nextReceipt(foreign)
      assert.equal(await store.changeReceipt(makeChange(next), makeRiders(next)), 'moved')
      assert.deepEqual(await store.findReceipt(receipt), receipt)
    }),
  )

  test(
    'of 200 changes of one version of a receipt exactly one is made, with its operation',
    withStore(async ({ store }) => {
      const receipt = await keepReceipt(store, makeReceipt(1))
      const nexts = Array.from({ length: 200 }, (_, n) =>
        nextReceipt(receipt, { state: 2, requestId: `request ${n}`, mac: bytesOf(n, 48) }),
      )
      const made = await Promise.all(
        nexts.map((next) => store.changeReceipt(makeChange(next, { operations: [makeOperation(next, next.requestId)] }), makeRiders(next))),
      )
      assert.equal(made.filter((each) => each === 'changed').length, 1)
      assert.equal(made.filter((each) => each === 'moved').length, 199)
      const winner = nexts[made.indexOf('changed')]!
      assert.deepEqual(await store.findReceipt(receipt), winner)
      assert.deepEqual(
        (await store.listOperations(receipt)).map(({ requestId }) => requestId),
        [winner.requestId],
      )
    }),
  )

  test(
    'an operation is kept before it is asked and put in place when it is settled, oldest first',
    withStore(async ({ store }) => {
      const receipt = await keepReceipt(store, makeReceipt(1))
      const asked = makeOperation(receipt, 'b', { askedAt: T0 })
      const paying = nextReceipt(receipt, { state: 2 })
      await store.changeReceipt(makeChange(paying, { operations: [asked] }), makeRiders(paying))
      assert.deepEqual(await store.findOperation(asked), asked)

      const said = {
        state: 'declined',
        networkRef: 'n\u0000-1',
        reason: 'insufficientFunds',
        rawCode: '\u0000-116',
        settledAt: T0 + 5,
      } as const
      const settled = { ...asked, ...said }
      const reversal = makeOperation(receipt, 'a', { kind: 'reverse', askedAt: T0 + 6 })
      const refused = nextReceipt(paying, { state: 0 })
      await store.changeReceipt(makeChange(refused, { operations: [settled, reversal] }), makeRiders(refused))
      assert.deepEqual(await store.listOperations(receipt), [settled, reversal])
      assert.equal(await store.findOperation({ ...asked, merchantId: 'b'.repeat(24) }), null)
      assert.equal(await store.findOperation({ ...asked, requestId: 'c' }), null)
    }),
  )

  test(
    'what was refused to a card is listed newest first, whatever became of its receipts, and for its merchant alone',
    withStore(async ({ store }) => {
      const { cardId } = makeCard(1)
      const refused = { state: 'declined', reason: 'insufficientFunds', cardId } as const
      const tried = [1, 2, 3].map((number) => {
        const receipt = makeReceipt(number)
        return { receipt, operation: makeOperation(receipt, `request ${number}`, { ...refused, askedAt: T0 + number }) }
      })
      for (const { receipt, operation } of tried) {
        const paid = nextReceipt(await keepReceipt(store, receipt), { state: 4 })
        const elsewhere = makeOperation(receipt, 'another card', { ...refused, cardId: makeCard(2).cardId })
        const approved = makeOperation(receipt, 'approved', { state: 'approved', cardId })
        await store.changeReceipt(makeChange(paid, { operations: [operation, elsewhere, approved] }), makeRiders(paid))
      }
      const wanted = tried.map(({ operation }) => operation).toReversed()
      const of = { ...makeReceipt(1), cardId }
      assert.deepEqual(await store.listRefusedOfCard(of, 10), wanted)
      assert.deepEqual(await store.listRefusedOfCard(of, 2), wanted.slice(0, 2))
      assert.deepEqual(await store.listRefusedOfCard({ ...of, merchantId: 'b'.repeat(24) }, 10), [])
    }),
  )

  test(
    'of many receipts that want one card one takes it, and only its holder lets it go',
    withStore(async ({ store }) => {
      const receipts = await Promise.all(Array.from({ length: 40 }, (_, n) => keepReceipt(store, makeReceipt(n))))
      const lock = (move: 'take' | 'release'): { cardId: string; move: typeof move } => ({ cardId: makeCard(1).cardId, move })
      const take = (at: number): Promise<string> => {
        const next = nextReceipt(receipts[at]!, { state: 2 })
        return store.changeReceipt(
          makeChange(next, { cardLock: lock('take'), operations: [makeOperation(next, `request ${at}`)] }),
          makeRiders(next),
        )
      }
      const taken = await Promise.all(receipts.map((_, at) => take(at)))
      assert.equal(taken.filter((each) => each === 'changed').length, 1)
      assert.equal(taken.filter((each) => each === 'cardLocked').length, 39)
      const winner = taken.indexOf('changed')
      const loser = winner === 0 ? 1 : 0
      assert.deepEqual(await store.findReceipt(receipts[loser]!), receipts[loser])
      assert.deepEqual(await store.listOperations(receipts[loser]!), [])

      const idle = nextReceipt(receipts[loser]!)
      assert.equal(await store.changeReceipt(makeChange(idle, { cardLock: lock('release') }), makeRiders(idle)), 'changed')
      receipts[loser] = idle
      assert.equal(await take(loser), 'cardLocked')
      const done = nextReceipt(nextReceipt(receipts[winner]!))
      assert.equal(await store.changeReceipt(makeChange(done, { cardLock: lock('release') }), makeRiders(done)), 'changed')
      assert.equal(await take(loser), 'changed')
    }),
  )

  test(
    'an approval removes the one-time card with its code; a card that has moved leaves receipt, operation and lock as they were',
    withStore(async ({ store, raw }) => {
      const card = makeCard(1, { recurrent: false })
      await store.insertCard(card, makeNote(card))
      await store.beginVerification(makeAttempt(card, 'one', momentAt(0)), { resendWaitMs: 60_000, pan: null }, makeNote(card))
      const receipt = await keepReceipt(store, makeReceipt(1))
      const paying = nextReceipt(receipt, { state: 2 })
      await store.changeReceipt(makeChange(paying, { cardLock: { cardId: card.cardId, move: 'take' } }), makeRiders(paying))

      const paid = nextReceipt(paying, { state: 4 })
      const gone = shreddedOf(card)
      const approval = makeChange(paid, {
        operations: [makeOperation(paid, 'request', { state: 'approved' })],
        cardLock: { cardId: card.cardId, move: 'release' },
        card: gone,
      })
      assert.equal(await store.changeReceipt({ ...approval, card: { ...gone, version: 9 } }, makeRiders(paid)), 'moved')
      assert.deepEqual(await store.findReceipt(receipt), paying)
      assert.deepEqual(await store.listOperations(receipt), [])
      assert.equal((await raw('select card_id from card_locks')).length, 1)
      assert.notEqual(await store.findVerification(card), null)

      assert.equal(await store.changeReceipt(approval, makeRiders(paid)), 'changed')
      assert.deepEqual(await store.findReceipt(receipt), paid)
      assert.deepEqual(await store.findCard(card), gone)
      assert.equal((await raw('select card_id from card_locks')).length, 0)
      assert.equal(await store.findVerification(card), null)
    }),
  )

  test(
    'a receipt whose stored row is broken is refused by the name of its column',
    withStore(async ({ store, raw }) => {
      const receipt = await keepReceipt(store, makeReceipt(1))
      for (const [column, value] of [
        ['state', '30'],
        ['flagged', '2'],
        ['description', `'bare'`],
        ['customer', `'{}'`],
      ]) {
        await raw(`update receipts set ${column} = ${value}`)
        await assert.rejects(store.findReceipt(receipt), new RegExp(`broken at column ${column}$`))
        await raw(`update receipts set state = 0, flagged = 0, description = '""', customer = null`)
      }
      assert.deepEqual(await store.findReceipt(receipt), receipt)
    }),
  )
}

/** A receipt with every column filled, the largest amount and texts that a database may stumble over. */
const everything = {
  state: 20,
  amountTiyin: 10_000_000_000_000,
  takenTiyin: 9_999_999_999_999,
  hold: true,
  description: "'; drop table receipts; -- \u0000 👩‍👩‍👧",
  detail: '{"items":[]}',
  account: '[{"name":"order_id","title":"order_id","value":"\\u0000","main":true}]',
  payer: '{"name":"A"}',
  error: '{"code":-31630}',
  cardId: 'c'.repeat(24),
  maskedPan: '860006******6311',
  cardExpiry: '0399',
  oneTime: true,
  networkRef: 'ref\u0000',
  requestId: 'd'.repeat(24),
  customer: 'payer \u0000',
  payTime: T0 + 1,
  cancelTime: T0 + 2,
  sourceCancel: 'subscribe',
  fiscal: '{"receipt_id":1}',
  unknownSince: T0 + 3,
  flagged: true,
  dueAt: T0 + 4,
  looks: 7,
} as const
