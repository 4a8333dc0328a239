import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CardRiders, CodeRiders, Store } from '../store.ts'
import { sumOfSoundChains } from './audit.suite.ts'
import { bytesOf, makeAttempt, makeCard, makeNote, makeTry, momentAt, nextOf, shreddedOf } from './samples.fixture.ts'
import {
  keepReceipt,
  makeAnswer,
  makeChange,
  makeEvent,
  makeKeyClaim,
  makeOperation,
  makeReceipt,
  makeRiders,
  nextReceipt,
} from './money.fixture.ts'
import type { Opened, WithStore } from './opened.fixture.ts'

export function ridersSuite(withStore: WithStore): void {
  test(
    'of 200 units that claim one key exactly one is kept, whole, and the others do nothing',
    withStore(async (opened) => {
      const { store } = opened
      const receipts = Array.from({ length: 200 }, (_, n) => makeReceipt(n))
      const kept = await Promise.all(receipts.map((receipt) => store.insertReceipt(receipt, fullRiders(receipt.receiptId, receipt))))
      assert.equal(kept.filter((each) => each === 'kept').length, 1)
      assert.equal(kept.filter((each) => each === 'twin').length, 199)
      const winner = receipts[kept.indexOf('kept')]!
      assert.deepEqual(await tellRows(opened), { receipts: 1, idempotency: 1, outbox: 1 })
      assert.deepEqual(await store.findReceipt(winner), winner)
      assert.equal((await store.findIdempotency(makeKeyClaim('one')))?.subject, winner.receiptId)
      assert.equal(await sumOfSoundChains(store), 1)
    }),
  )

  test(
    'a unit that finds its receipt moved, its card locked or its key taken leaves nothing behind, and its neighbours are kept',
    withStore(async (opened) => {
      const { store } = opened
      const receipts = await Promise.all([1, 2, 3, 4].map((number) => keepReceipt(store, makeReceipt(number))))
      const [holder, wanter, stale, taken] = receipts.map((receipt) => nextReceipt(receipt, { state: 2 }))
      const take = { cardId: makeCard(1).cardId, move: 'take' } as const
      assert.equal(await store.changeReceipt(makeChange(holder!, { cardLock: take }), fullRiders('held', holder!)), 'changed')
      const before = await tellRows(opened)

      const neighbours = [11, 12, 13].map((number) => makeReceipt(number))
      const claimOf = (name: string): Partial<CardRiders> => ({ claim: makeKeyClaim(name), answer: makeAnswer(name) })
      const [locked, moved, twin, broken, ...others] = await Promise.allSettled([
        store.changeReceipt(makeChange(wanter!, { cardLock: take, operations: [makeOperation(wanter!, 'w')] }), {
          ...fullRiders('wanted', wanter!),
          ...claimOf('two'),
        }),
        store.changeReceipt(makeChange({ ...stale!, version: 7 }), { ...fullRiders('stale', stale!), ...claimOf('three') }),
        store.changeReceipt(makeChange(taken!), fullRiders('taken', taken!)),
        // An id that is there already: the statement itself fails.
        store.insertReceipt(receipts[0]!, { ...fullRiders('broken', receipts[0]!), ...claimOf('four') }),
        ...neighbours.map((receipt) => store.insertReceipt(receipt, makeRiders(receipt))),
      ])
      assert.deepEqual(
        [locked, moved, twin].map((each) => each.status === 'fulfilled' && each.value),
        ['cardLocked', 'moved', 'twin'],
      )
      assert.equal(broken.status, 'rejected')
      assert.deepEqual(
        others.map((each) => each.status === 'fulfilled' && each.value),
        ['kept', 'kept', 'kept'],
      )

      assert.deepEqual(await tellRows(opened), { ...before, receipts: 7 })
      assert.deepEqual(await store.listOperations(wanter!), [])
      for (const number of [2, 3, 4]) assert.deepEqual(await store.findReceipt(makeReceipt(number)), makeReceipt(number))
      assert.equal(await sumOfSoundChains(store), 4 + 1 + 3)
    }),
  )

  test(
    'events of one object keep the order in which they were written, whatever their moment says',
    withStore(async ({ store, raw }) => {
      const objects = await Promise.all([1, 2, 3].map((number) => keepReceipt(store, makeReceipt(number))))
      const steps = Array.from({ length: 12 }, (_, step) => step)
      // The objects move at once; one after the other for itself, two events a step, and a clock that goes back.
      await Promise.all(
        objects.map(async (receipt) => {
          let last = receipt
          for (const step of steps) {
            last = nextReceipt(last)
            const events = ['a', 'b'].map((each) => makeEvent(receipt.receiptId, `${step} ${each}`, { at: 1000 - step }))
            assert.equal(await store.changeReceipt(makeChange(last), makeRiders(last, { events })), 'changed')
          }
        }),
      )
      for (const { receiptId } of objects) {
        const rows = await raw(`select event_id from outbox where object_id = '${receiptId}' order by position`)
        const wanted = steps.flatMap((step) => ['a', 'b'].map((each) => `${receiptId} ${step} ${each}`))
        assert.deepEqual(
          rows.map((row) => row['event_id']),
          wanted,
        )
      }
    }),
  )

  test(
    'events that are put to one object at once all get a place of their own',
    withStore(async ({ store, raw }) => {
      const receipts = Array.from({ length: 50 }, (_, n) => makeReceipt(n))
      const events = (n: number): CardRiders['events'] => [makeEvent('object', `event ${n}`, { body: `{"n":${n}}` })]
      const kept = await Promise.allSettled(
        receipts.map((receipt, n) => store.insertReceipt(receipt, makeRiders(receipt, { events: events(n) }))),
      )
      const places = (await raw(`select position from outbox where object_id = 'object'`)).map((row) => Number(row['position']))
      const done = kept.filter(({ status }) => status === 'fulfilled').length
      assert.ok(done > 0)
      assert.deepEqual(
        places.sort((one, other) => one - other),
        Array.from({ length: done }, (_, at) => at + 1),
      )
      assert.deepEqual(await raw('select type, body from outbox where position = 1').then((rows) => rows.length), 1)
    }),
  )

  test(
    'new cards with riders are kept with them, beside new cards without',
    withStore(async (opened) => {
      const { store } = opened
      const cards = Array.from({ length: 60 }, (_, n) => makeCard(n))
      const kept = await Promise.all(
        cards.map((card, n) => {
          if (n % 3 !== 0) return store.insertCard(card, makeNote(card))
          const name = n % 6 === 0 ? 'shared' : `key ${n}`
          return store.insertCard(card, makeNote(card), { claim: makeKeyClaim(name), answer: makeAnswer(name), events: [] })
        }),
      )
      assert.equal(kept.filter((each) => each === 'twin').length, 9)
      const found = await Promise.all(cards.map((card) => store.findCard(card)))
      kept.forEach((each, n) => assert.deepEqual(found[n], each === 'twin' ? null : cards[n]))
      assert.equal((await tellRows(opened)).idempotency, 11)
      assert.equal(await sumOfSoundChains(store), 51)
    }),
  )

  test(
    'a card changes with its riders or not at all',
    withStore(async (opened) => {
      const { store } = opened
      const card = makeCard(1)
      await store.insertCard(card, makeNote(card))
      const gone = shreddedOf(card)
      const late = nextOf(gone)
      assert.equal(await store.changeCard(late, makeNote(late), fullRiders(card.cardId)), false)
      assert.deepEqual(await tellRows(opened), { receipts: 0, idempotency: 0, outbox: 0 })
      assert.equal(await store.changeCard(gone, makeNote(gone), fullRiders(card.cardId)), true)
      assert.equal(await store.changeCard(late, makeNote(late), fullRiders(card.cardId)), 'twin')
      assert.deepEqual(await store.findCard(card), gone)
      assert.deepEqual(await tellRows(opened), { receipts: 0, idempotency: 1, outbox: 1 })
    }),
  )

  test(
    'a code is asked for and sent with riders: the claim with the asking, the answer with the sending',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      const ask = (name: string, at: number, key: string): Promise<unknown> =>
        store.beginVerification(makeAttempt(card, name, momentAt(at)), limits, makeNote(card), { ...claimOnly, claim: makeKeyClaim(key) })
      assert.deepEqual(await ask('one', 0, 'one'), { begun: true })
      assert.equal(await ask('two', 90_000, 'one'), 'twin')
      assert.deepEqual(await ask('two', 1, 'two'), { begun: false, because: 'tooSoon', retryAfterMs: 59_999 })
      assert.equal(await store.findIdempotency(makeKeyClaim('two')), null)

      const { bucket, merchantId, cardId } = card
      const said = { sentBy: 'us', phoneMask: null, networkRef: null, outcome: 'sent' } as const
      const settled = { bucket, merchantId, cardId, attemptId: 'one', ...said }
      const riders = { claim: null, answer: makeAnswer('one'), events: [] }
      assert.equal(await store.settleVerification({ ...settled, attemptId: 'other' }, makeNote(card), riders), false)
      assert.deepEqual((await store.findIdempotency(makeKeyClaim('one')))?.sealed, null)
      assert.equal(await store.settleVerification(settled, makeNote(card), riders), true)
      assert.deepEqual((await store.findIdempotency(makeKeyClaim('one')))?.sealed, makeAnswer('one').sealed)
    }),
  )

  test(
    'a try that is counted keeps its claim with the answer that it found, and one that is not lets it go',
    withStore(async (opened) => {
      const { store, raw } = opened
      const card = await keepCard(store)
      await store.beginVerification(makeAttempt(card, 'one', momentAt(0)), limits, makeNote(card))
      const riders = (name: string): CodeRiders => ({
        claim: makeKeyClaim(name),
        answer: makeAnswer(name, { sealed: bytesOf('right') }),
        answerWrong: makeAnswer(name, { sealed: bytesOf('wrong') }),
        events: [makeEvent(card.cardId, name, { type: 'card.verified' })],
      })
      const right = makeTry(card, 'one', momentAt(1), { otpHash: bytesOf('right one') })
      const sealedOf = async (name: string): Promise<unknown> => (await store.findIdempotency(makeKeyClaim(name)))?.sealed

      assert.deepEqual(await store.tryCode({ ...right, attemptId: 'other' }, riders('moved')), { outcome: 'moved' })
      assert.deepEqual(await store.tryCode(makeTry(card, 'one', momentAt(1)), riders('bad')), { outcome: 'wrong' })
      assert.equal(await store.tryCode(right, riders('bad')), 'twin')
      assert.equal((await store.findVerification(card))?.tries, 1)
      assert.deepEqual((await tellRows(opened)).outbox, 0)
      assert.deepEqual(await store.tryCode(right, riders('good')), { outcome: 'verified' })
      assert.deepEqual(
        [await sealedOf('moved'), await sealedOf('bad'), await sealedOf('good')],
        [undefined, bytesOf('wrong'), bytesOf('right')],
      )
      assert.deepEqual(
        (await raw('select event_id from outbox')).map((row) => row['event_id']),
        [`${card.cardId} good`],
      )
    }),
  )

  test(
    'a try that finds the code too old closes it and lets its claim go',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      await store.beginVerification(makeAttempt(card, 'one', momentAt(0)), limits, makeNote(card))
      const late = makeTry(card, 'one', momentAt(180_001), { otpHash: bytesOf('right one') })
      const riders = { claim: makeKeyClaim('late'), answer: makeAnswer('late'), answerWrong: null, events: [] }
      assert.deepEqual(await store.tryCode(late, riders), { outcome: 'tooOld' })
      assert.equal((await store.findVerification(card))?.open, false)
      assert.equal(await store.findIdempotency(makeKeyClaim('late')), null)
    }),
  )

  test(
    'where the network finds the code, the claim rides with the try and the answer with the finish',
    withStore(async (opened) => {
      const { store } = opened
      const card = await keepCard(store)
      await store.beginVerification(makeAttempt(card, 'one', momentAt(0), { sentBy: 'network' }), limits, makeNote(card))
      const tried = await store.tryCode(makeTry(card, 'one', momentAt(1)), { ...fullRiders('try'), answerWrong: null })
      assert.deepEqual(tried, { outcome: 'askNetwork' })
      assert.deepEqual(await store.findIdempotency(makeKeyClaim('one')), { ...makeKeyClaim('one', { subject: 'try' }), sealed: null })
      assert.equal((await tellRows(opened)).outbox, 0)

      const { bucket, merchantId, cardId } = card
      const verifiedCard = nextOf(card, { verified: true })
      const finish = { bucket, merchantId, cardId, attemptId: 'one', uncountAt: null, verifiedCard, audit: makeNote(verifiedCard) }
      const riders = { ...fullRiders(card.cardId), claim: null }
      assert.equal(await store.finishVerification({ ...finish, attemptId: 'other' }, riders), false)
      assert.equal(await store.finishVerification(finish, riders), true)
      assert.deepEqual((await store.findIdempotency(makeKeyClaim('one')))?.sealed, makeAnswer('one').sealed)
      assert.equal((await tellRows(opened)).outbox, 1)
    }),
  )
}

const limits = { resendWaitMs: 60_000, pan: null }
const claimOnly = { answer: null, events: [] }

/** A claim of the key `one` for an object, answered from the start, and an event of it. */
function fullRiders(objectId: string): CardRiders
function fullRiders(objectId: string, receipt: ReturnType<typeof makeReceipt>): ReturnType<typeof makeRiders>
function fullRiders(objectId: string, receipt = makeReceipt(0)): ReturnType<typeof makeRiders> {
  const events = [makeEvent(objectId, 'event')]
  return makeRiders(receipt, { claim: makeKeyClaim('one', { subject: objectId }), answer: makeAnswer('one'), events })
}

async function tellRows({ raw }: Opened): Promise<{ receipts: number; idempotency: number; outbox: number }> {
  const count = async (table: string): Promise<number> => (await raw(`select 1 as one from ${table}`)).length
  return { receipts: await count('receipts'), idempotency: await count('idempotency'), outbox: await count('outbox') }
}

async function keepCard(store: Store): Promise<ReturnType<typeof makeCard>> {
  const card = makeCard(1)
  await store.insertCard(card, makeNote(card))
  return card
}
