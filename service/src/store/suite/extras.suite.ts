import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCard, insertCard, updateCard } from '../cards.ts'
import type { TransactionExtras } from '../extras.ts'
import type { CheckCode } from '../verifications.ts'
import type { ReceiptRow } from '../receipts.ts'
import { findIdempotencyRecord } from '../idempotency.ts'
import { listOperations } from '../operations.ts'
import { findReceipt, insertReceipt, updateReceipt } from '../receipts.ts'
import type { Store } from '../store.ts'
import { beginVerification, checkCode, completeVerification, findVerification, recordSendResult } from '../verifications.ts'
import { countVerifiedEntries } from './audit.suite.ts'
import {
  makeNetworkCodeAttempt,
  bytesOf,
  sampleVerification,
  makeCard,
  makeAuditEntry,
  makeCodeAttempt,
  clockAt,
  nextVersion,
  shreddedVersion,
} from './samples.fixture.ts'
import {
  makeLockMove,
  insertSampleReceipt,
  makeIdempotencyOutcome,
  makeReceiptUpdate,
  makeEvent,
  makeKeyClaim,
  makeOperation,
  makeReceipt,
  makeReceiptExtras,
  nextReceipt,
} from './money.fixture.ts'
import type { StoreUnderTest, WithStore } from './opened.fixture.ts'

export function extrasSuite(withStore: WithStore): void {
  test(
    'of 200 transactions that claim one key exactly one is committed, as a whole, and the others write nothing',
    withStore(async (opened) => {
      const { store } = opened
      const receipts = Array.from({ length: 200 }, (_, n) => makeReceipt(n))
      const results = await Promise.all(
        receipts.map((receipt) => store.write(insertReceipt, { receipt, ...fullReceiptExtras(receipt.receiptId, receipt) })),
      )
      assert.equal(results.filter((each) => each === 'inserted').length, 1)
      assert.equal(results.filter((each) => each === 'duplicate_request').length, 199)
      const winner = receipts[results.indexOf('inserted')]!
      assert.deepEqual(await countRows(opened), { receipts: 1, idempotency: 1, outbox: 1 })
      assert.deepEqual(await store.read(findReceipt(winner)), winner)
      assert.equal((await store.read(findIdempotencyRecord(makeKeyClaim('one'))))?.subject, winner.receiptId)
      assert.equal(await countVerifiedEntries(store), 1)
    }),
  )

  test(
    'a transaction whose receipt has changed, whose card is locked or whose key is taken writes nothing, and the others of its batch are committed',
    withStore(async (opened) => {
      const { store } = opened
      const receipts = await Promise.all([1, 2, 3, 4].map((number) => insertSampleReceipt(store, makeReceipt(number))))
      const [holder, wanter, stale, taken] = receipts.map((receipt) => nextReceipt(receipt, { state: 2 }))
      const takeFor = (receipt: ReceiptRow) => makeLockMove(receipt, makeCard(1).cardId, 'take')
      assert.equal(
        await store.write(updateReceipt, {
          ...makeReceiptUpdate(holder!, { cardLock: takeFor(holder!) }),
          ...fullReceiptExtras('held', holder!),
        }),
        'updated',
      )
      const before = await countRows(opened)

      const neighbours = [11, 12, 13].map((number) => makeReceipt(number))
      const claimOf = (name: string): TransactionExtras => ({
        idempotency: { claim: makeKeyClaim(name), outcome: makeIdempotencyOutcome(name) },
      })
      const [locked, moved, duplicate, broken, ...others] = await Promise.allSettled([
        store.write(updateReceipt, {
          ...makeReceiptUpdate(wanter!, { cardLock: takeFor(wanter!), operations: [makeOperation(wanter!, 'w')] }),
          ...fullReceiptExtras('wanted', wanter!),
          ...claimOf('two'),
        }),
        store.write(updateReceipt, {
          ...makeReceiptUpdate({ ...stale!, version: 7 }),
          ...fullReceiptExtras('stale', stale!),
          ...claimOf('three'),
        }),
        store.write(updateReceipt, { ...makeReceiptUpdate(taken!), ...fullReceiptExtras('taken', taken!) }),
        // The id exists already, so the statement itself fails.
        store.write(insertReceipt, { receipt: receipts[0]!, ...fullReceiptExtras('broken', receipts[0]!), ...claimOf('four') }),
        ...neighbours.map((receipt) => store.write(insertReceipt, { receipt, ...makeReceiptExtras(receipt) })),
      ])
      assert.deepEqual(
        [locked, moved, duplicate].map((each) => each.status === 'fulfilled' && each.value),
        ['cardLocked', 'conflict', 'duplicate_request'],
      )
      assert.equal(broken.status, 'rejected')
      assert.deepEqual(
        others.map((each) => each.status === 'fulfilled' && each.value),
        ['inserted', 'inserted', 'inserted'],
      )

      assert.deepEqual(await countRows(opened), { ...before, receipts: 7 })
      assert.deepEqual(await store.read(listOperations(wanter!)), [])
      for (const number of [2, 3, 4]) assert.deepEqual(await store.read(findReceipt(makeReceipt(number))), makeReceipt(number))
      assert.equal(await countVerifiedEntries(store), 4 + 1 + 3)
    }),
  )

  test(
    'events of one object keep the order in which they were written, whatever their time is',
    withStore(async ({ store, raw }) => {
      const objects = await Promise.all([1, 2, 3].map((number) => insertSampleReceipt(store, makeReceipt(number))))
      const steps = Array.from({ length: 12 }, (_, step) => step)
      // Objects change concurrently, each one step after another, two events per step, with a clock that goes back.
      await Promise.all(
        objects.map(async (receipt) => {
          let last = receipt
          for (const step of steps) {
            last = nextReceipt(last)
            const events = ['a', 'b'].map((each) => makeEvent(receipt.receiptId, `${step} ${each}`, { at: 1000 - step }))
            assert.equal(
              await store.write(updateReceipt, { ...makeReceiptUpdate(last), ...makeReceiptExtras(last, { events }) }),
              'updated',
            )
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
    'events that are inserted for one object at once all get a position of their own',
    withStore(async ({ store, raw }) => {
      const receipts = Array.from({ length: 50 }, (_, n) => makeReceipt(n))
      const events = (n: number): TransactionExtras['events'] => [makeEvent('object', `event ${n}`, { body: `{"n":${n}}` })]
      const results = await Promise.allSettled(
        receipts.map((receipt, n) => store.write(insertReceipt, { receipt, ...makeReceiptExtras(receipt, { events: events(n) }) })),
      )
      const places = (await raw(`select position from outbox where object_id = 'object'`)).map((row) => Number(row['position']))
      const done = results.filter(({ status }) => status === 'fulfilled').length
      assert.ok(done > 0)
      assert.deepEqual(
        places.sort((one, other) => one - other),
        Array.from({ length: done }, (_, at) => at + 1),
      )
      assert.deepEqual(await raw('select type, body from outbox where position = 1').then((rows) => rows.length), 1)
    }),
  )

  test(
    'new cards are inserted with their extras, beside new cards without extras',
    withStore(async (opened) => {
      const { store } = opened
      const cards = Array.from({ length: 60 }, (_, n) => makeCard(n))
      const results = await Promise.all(
        cards.map((card, n) => {
          if (n % 3 !== 0) return store.write(insertCard, { card, audit: makeAuditEntry(card) })
          const name = n % 6 === 0 ? 'shared' : `key ${n}`
          return store.write(insertCard, {
            card,
            audit: makeAuditEntry(card),
            idempotency: { claim: makeKeyClaim(name), outcome: makeIdempotencyOutcome(name) },
          })
        }),
      )
      assert.equal(results.filter((each) => each === 'duplicate_request').length, 9)
      const found = await Promise.all(cards.map((card) => store.read(findCard(card))))
      results.forEach((each, n) => assert.deepEqual(found[n], each === 'duplicate_request' ? null : cards[n]))
      assert.equal((await countRows(opened)).idempotency, 11)
      assert.equal(await countVerifiedEntries(store), 51)
    }),
  )

  test(
    'a card is updated with its extras or not at all',
    withStore(async (opened) => {
      const { store } = opened
      const card = makeCard(1)
      await store.write(insertCard, { card, audit: makeAuditEntry(card) })
      const gone = shreddedVersion(card)
      const late = nextVersion(gone)
      assert.equal(await store.write(updateCard, { card: late, audit: makeAuditEntry(late), ...fullExtras(card.cardId) }), false)
      assert.deepEqual(await countRows(opened), { receipts: 0, idempotency: 0, outbox: 0 })
      assert.equal(await store.write(updateCard, { card: gone, audit: makeAuditEntry(gone), ...fullExtras(card.cardId) }), true)
      assert.equal(
        await store.write(updateCard, { card: late, audit: makeAuditEntry(late), ...fullExtras(card.cardId) }),
        'duplicate_request',
      )
      assert.deepEqual(await store.read(findCard(card)), gone)
      assert.deepEqual(await countRows(opened), { receipts: 0, idempotency: 1, outbox: 1 })
    }),
  )

  test(
    'a code request stores its claim, and the send result its outcome',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      const request = (name: string, at: number, key: string): Promise<unknown> =>
        store.write(beginVerification, {
          attempt: sampleVerification(card, name, clockAt(at)),
          limits,
          audit: makeAuditEntry(card),
          idempotency: { claim: makeKeyClaim(key), outcome: null },
        })
      assert.deepEqual(await request('one', 0, 'one'), { ok: true })
      assert.equal(await request('two', 90_000, 'one'), 'duplicate_request')
      assert.deepEqual(await request('two', 1, 'two'), { ok: false, reason: 'tooSoon', retryAfterMs: 59_999 })
      assert.equal(await store.read(findIdempotencyRecord(makeKeyClaim('two'))), null)

      const { bucket, merchantId, cardId } = card
      const reply = { sentBy: 'us', phoneMask: null, networkRef: null, outcome: 'sent' } as const
      const macs = { mac: bytesOf('sent'), previousMac: sampleVerification(card, 'one', clockAt(0)).mac }
      const result = { bucket, merchantId, cardId, attemptId: 'one', ...reply, ...macs }
      const extras = { idempotency: { claim: null, outcome: makeIdempotencyOutcome('one') } }
      assert.equal(
        await store.write(recordSendResult, { result: { ...result, attemptId: 'other' }, audit: makeAuditEntry(card), ...extras }),
        false,
      )
      assert.deepEqual((await store.read(findIdempotencyRecord(makeKeyClaim('one'))))?.sealed, null)
      assert.equal(await store.write(recordSendResult, { result, audit: makeAuditEntry(card), ...extras }), true)
      assert.deepEqual((await store.read(findIdempotencyRecord(makeKeyClaim('one'))))?.sealed, makeIdempotencyOutcome('one').sealed)
    }),
  )

  test(
    'a counted attempt stores its claim with the outcome, and one that is not counted releases it',
    withStore(async (opened) => {
      const { store, raw } = opened
      const card = await insertSampleCard(store)
      await store.write(beginVerification, { attempt: sampleVerification(card, 'one', clockAt(0)), limits, audit: makeAuditEntry(card) })
      const extras = (name: string): Omit<CheckCode, 'attempt'> => ({
        idempotency: {
          claim: makeKeyClaim(name),
          outcome: makeIdempotencyOutcome(name, { sealed: bytesOf('right') }),
          outcomeIfWrong: makeIdempotencyOutcome(name, { sealed: bytesOf('wrong') }),
          outcomeIfLastWrong: makeIdempotencyOutcome(name, { sealed: bytesOf('last wrong') }),
          outcomeIfStopped: null,
        },
        events: [makeEvent(card.cardId, name, { type: 'card.verified' })],
      })
      const right = makeCodeAttempt(card, 'one', clockAt(1), { otpHash: bytesOf('right one') })
      const sealedOf = async (name: string): Promise<unknown> => (await store.read(findIdempotencyRecord(makeKeyClaim(name))))?.sealed

      assert.deepEqual(await store.write(checkCode, { attempt: { ...right, attemptId: 'other' }, ...extras('conflict') }), {
        outcome: 'conflict',
      })
      assert.deepEqual(await store.write(checkCode, { attempt: makeCodeAttempt(card, 'one', clockAt(1)), ...extras('bad') }), {
        outcome: 'incorrect',
        isLast: false,
        stopped: [],
      })
      assert.equal(await store.write(checkCode, { attempt: right, ...extras('bad') }), 'duplicate_request')
      assert.equal((await store.read(findVerification(card)))?.attempts, 1)
      assert.deepEqual((await countRows(opened)).outbox, 0)
      assert.deepEqual(await store.write(checkCode, { attempt: right, ...extras('good') }), { outcome: 'verified' })
      assert.deepEqual(
        [await sealedOf('conflict'), await sealedOf('bad'), await sealedOf('good')],
        [undefined, bytesOf('wrong'), bytesOf('right')],
      )
      assert.deepEqual(
        (await raw('select event_id from outbox')).map((row) => row['event_id']),
        [`${card.cardId} good`],
      )
    }),
  )

  test(
    'an attempt with an expired code closes the verification and releases its claim',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      await store.write(beginVerification, { attempt: sampleVerification(card, 'one', clockAt(0)), limits, audit: makeAuditEntry(card) })
      const late = makeCodeAttempt(card, 'one', clockAt(180_001), { otpHash: bytesOf('right one') })
      const extras = {
        idempotency: {
          claim: makeKeyClaim('late'),
          outcome: makeIdempotencyOutcome('late'),
          outcomeIfWrong: null,
          outcomeIfLastWrong: null,
          outcomeIfStopped: null,
        },
      }
      assert.deepEqual(await store.write(checkCode, { attempt: late, ...extras }), { outcome: 'expired' })
      assert.equal((await store.read(findVerification(card)))?.open, false)
      assert.equal(await store.read(findIdempotencyRecord(makeKeyClaim('late'))), null)
    }),
  )

  test(
    'when the network checks the code, the claim is stored with the attempt and the outcome with the completion',
    withStore(async (opened) => {
      const { store } = opened
      const card = await insertSampleCard(store)
      await store.write(beginVerification, {
        attempt: sampleVerification(card, 'one', clockAt(0), { sentBy: 'network' }),
        limits,
        audit: makeAuditEntry(card),
      })
      const { events, idempotency } = fullExtras('try')
      const code = {
        attempt: makeNetworkCodeAttempt(card, 'one', clockAt(1)),
        events,
        idempotency: { ...idempotency, outcomeIfWrong: null, outcomeIfLastWrong: null, outcomeIfStopped: null },
      }
      const attempted = await store.write(checkCode, code)
      assert.deepEqual(attempted, { outcome: 'networkDecides', isLast: false, stopped: [] })
      assert.deepEqual(await store.read(findIdempotencyRecord(makeKeyClaim('one'))), {
        ...makeKeyClaim('one', { subject: 'try' }),
        sealed: null,
      })
      assert.equal((await countRows(opened)).outbox, 0)

      const { bucket, merchantId, cardId } = card
      const verifiedCard = nextVersion(card, { verified: true })
      const finish = {
        bucket,
        merchantId,
        cardId,
        attemptId: 'one',
        decrementWrongCodesAt: null,
        verifiedCard,
        stop: null,
        audit: makeAuditEntry(verifiedCard),
      }
      const { events: sent, idempotency: full } = fullExtras(card.cardId)
      const extras = { events: sent, idempotency: { ...full, claim: null } }
      assert.equal(await store.write(completeVerification, { ...finish, attemptId: 'other', ...extras }), false)
      assert.equal(await store.write(completeVerification, { ...finish, ...extras }), true)
      assert.deepEqual((await store.read(findIdempotencyRecord(makeKeyClaim('one'))))?.sealed, makeIdempotencyOutcome('one').sealed)
      assert.equal((await countRows(opened)).outbox, 1)
    }),
  )
}

const limits = { resendWaitMs: 60_000, pan: null }

/** A claim of the key `one` with its outcome, and an event, for an object. */
function fullExtras(objectId: string) {
  const idempotency = { claim: makeKeyClaim('one', { subject: objectId }), outcome: makeIdempotencyOutcome('one') }
  return { events: [makeEvent(objectId, 'event')], idempotency }
}

function fullReceiptExtras(objectId: string, receipt: ReceiptRow): ReturnType<typeof makeReceiptExtras> {
  return makeReceiptExtras(receipt, fullExtras(objectId))
}

async function countRows({ raw }: StoreUnderTest): Promise<{ receipts: number; idempotency: number; outbox: number }> {
  const count = async (table: string): Promise<number> => (await raw(`select 1 as one from ${table}`)).length
  return { receipts: await count('receipts'), idempotency: await count('idempotency'), outbox: await count('outbox') }
}

async function insertSampleCard(store: Store): Promise<ReturnType<typeof makeCard>> {
  const card = makeCard(1)
  await store.write(insertCard, { card, audit: makeAuditEntry(card) })
  return card
}
