import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, sampleVerification, makeCard, makeAuditEntry, clockAt, shreddedVersion, T0 } from './samples.fixture.ts'
import {
  makeLockMove,
  insertSampleReceipt,
  makeReceiptUpdate,
  makeOperation,
  makeReceipt,
  makeReceiptExtras,
  nextReceipt,
} from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'
import { findNewestAudited } from '../audit.ts'
import { findCard, insertCard } from '../cards.ts'
import { findOperation, listDeclinedOperations, listOperations } from '../operations.ts'
import {
  countOpenReceipts,
  findReceipt,
  findReceiptById,
  listFlaggedReceipts,
  listOpenReceipts,
  updateReceipt,
  type ReceiptRow,
} from '../receipts.ts'
import { beginVerification, findVerification } from '../verifications.ts'

export function receiptsSuite(withStore: WithStore): void {
  test(
    'a receipt is read as it was inserted, and then as it was updated',
    withStore(async ({ store }) => {
      const bare = await insertSampleReceipt(store, makeReceipt(1))
      const full = await insertSampleReceipt(store, makeReceipt(2, everything))
      assert.deepEqual(await store.read(findReceipt(bare)), bare)
      assert.deepEqual(await store.read(findReceipt(full)), full)
      const next = nextReceipt(bare, { ...everything, state: 50, amountTiyin: bare.amountTiyin })
      assert.equal(await store.write(updateReceipt, { ...makeReceiptUpdate(next), ...makeReceiptExtras(next) }), 'updated')
      assert.deepEqual(await store.read(findReceipt(bare)), next)
      assert.deepEqual(await store.read(findNewestAudited(bare.receiptId)), { version: 2, mac: next.mac })
    }),
  )

  test(
    'a receipt is unknown under another merchant and in another bucket',
    withStore(async ({ store }) => {
      const receipt = await insertSampleReceipt(store, makeReceipt(1))
      const foreign = { ...receipt, merchantId: 'b'.repeat(24) }
      assert.equal(await store.read(findReceipt(foreign)), null)
      assert.equal(await store.read(findReceipt({ ...receipt, bucket: receipt.bucket + 1 })), null)
      const next = nextReceipt(foreign)
      assert.equal(await store.write(updateReceipt, { ...makeReceiptUpdate(next), ...makeReceiptExtras(next) }), 'conflict')
      assert.deepEqual(await store.read(findReceipt(receipt)), receipt)
    }),
  )

  test(
    'open and flagged receipts of all merchants are counted and listed, those longest unknown first',
    withStore(async ({ store }) => {
      const empty = await store.read(countOpenReceipts(T0))
      assert.deepEqual([empty.byState.get(20), empty.flagged, empty.oldestUnknownAt, empty.oldestDueAt], [0, 0, null, null])
      const older = await insertSampleReceipt(store, makeReceipt(3, { state: 20, unknownSince: T0 + 1, flagged: true }))
      const newer = await insertSampleReceipt(store, makeReceipt(1, { state: 20, unknownSince: T0 + 2, dueAt: T0 + 5 }))
      const foreign = await insertSampleReceipt(store, makeReceipt(2, { state: 20, unknownSince: T0 + 2, merchantId: 'b'.repeat(24) }))
      const ended = await insertSampleReceipt(store, makeReceipt(4, { state: 50, flagged: true }))
      await insertSampleReceipt(store, makeReceipt(5, { state: 5, dueAt: T0 + 9 }))
      await insertSampleReceipt(store, makeReceipt(6))
      const counts = await store.read(countOpenReceipts(T0 + 7))
      assert.deepEqual(Object.fromEntries(counts.byState), { 1: 0, 2: 0, 3: 0, 5: 1, 6: 0, 20: 3, 21: 0 })
      assert.deepEqual([counts.flagged, counts.oldestUnknownAt, counts.oldestDueAt], [2, T0 + 1, T0 + 5])
      assert.deepEqual(await store.read(listOpenReceipts(20, 10)), [older, newer, foreign])
      assert.deepEqual(await store.read(listOpenReceipts(20, 10, older)), [newer, foreign])
      assert.deepEqual(await store.read(listOpenReceipts(20, 1, newer)), [foreign])
      assert.deepEqual(await store.read(listFlaggedReceipts(10, '')), [older, ended])
      assert.deepEqual(await store.read(listFlaggedReceipts(10, older.receiptId)), [ended])
      assert.deepEqual(await store.read(findReceiptById(foreign.bucket, foreign.receiptId)), foreign)
      assert.equal(await store.read(findReceiptById(foreign.bucket + 1, foreign.receiptId)), null)
    }),
  )

  test(
    'of 200 concurrent updates of one version of a receipt exactly one succeeds, with its operation',
    withStore(async ({ store }) => {
      const receipt = await insertSampleReceipt(store, makeReceipt(1))
      const nexts = Array.from({ length: 200 }, (_, n) =>
        nextReceipt(receipt, { state: 2, requestId: `request ${n}`, mac: bytesOf(n, 48) }),
      )
      const made = await Promise.all(
        nexts.map((next) =>
          store.write(updateReceipt, {
            ...makeReceiptUpdate(next, { operations: [makeOperation(next, next.requestId)] }),
            ...makeReceiptExtras(next),
          }),
        ),
      )
      assert.equal(made.filter((each) => each === 'updated').length, 1)
      assert.equal(made.filter((each) => each === 'conflict').length, 199)
      const winner = nexts[made.indexOf('updated')]!
      assert.deepEqual(await store.read(findReceipt(receipt)), winner)
      assert.deepEqual(
        (await store.read(listOperations(receipt))).map(({ requestId }) => requestId),
        [winner.requestId],
      )
    }),
  )

  test(
    'an operation is stored before its request and replaced when it is resolved, and listed oldest first',
    withStore(async ({ store }) => {
      const receipt = await insertSampleReceipt(store, makeReceipt(1))
      const requested = makeOperation(receipt, 'b', { requestedAt: T0 })
      const paying = nextReceipt(receipt, { state: 2 })
      await store.write(updateReceipt, { ...makeReceiptUpdate(paying, { operations: [requested] }), ...makeReceiptExtras(paying) })
      assert.deepEqual(await store.read(findOperation(requested)), requested)

      const reply = {
        state: 'declined',
        networkRef: 'n\u0000-1',
        reason: 'insufficientFunds',
        rawCode: '\u0000-116',
        resolvedAt: T0 + 5,
      } as const
      const resolved = { ...requested, ...reply }
      const reversal = makeOperation(receipt, 'a', { kind: 'reverse', requestedAt: T0 + 6 })
      const refused = nextReceipt(paying, { state: 0 })
      await store.write(updateReceipt, {
        ...makeReceiptUpdate(refused, { operations: [resolved, reversal] }),
        ...makeReceiptExtras(refused),
      })
      assert.deepEqual(await store.read(listOperations(receipt)), [resolved, reversal])
      assert.equal(await store.read(findOperation({ ...requested, merchantId: 'b'.repeat(24) })), null)
      assert.equal(await store.read(findOperation({ ...requested, requestId: 'c' })), null)
    }),
  )

  test(
    'the declined operations of a card are listed newest first, whatever became of their receipts, for its merchant alone',
    withStore(async ({ store }) => {
      const { cardId } = makeCard(1)
      const refused = { state: 'declined', reason: 'insufficientFunds', cardId } as const
      const declined = [1, 2, 3].map((number) => {
        const receipt = makeReceipt(number)
        return { receipt, operation: makeOperation(receipt, `request ${number}`, { ...refused, requestedAt: T0 + number }) }
      })
      for (const { receipt, operation } of declined) {
        const paid = nextReceipt(await insertSampleReceipt(store, receipt), { state: 4 })
        const elsewhere = makeOperation(receipt, 'another card', { ...refused, cardId: makeCard(2).cardId })
        const approved = makeOperation(receipt, 'approved', { state: 'approved', cardId })
        await store.write(updateReceipt, {
          ...makeReceiptUpdate(paid, { operations: [operation, elsewhere, approved] }),
          ...makeReceiptExtras(paid),
        })
      }
      const wanted = declined.map(({ operation }) => operation).toReversed()
      const of = { ...makeReceipt(1), cardId }
      assert.deepEqual(await store.read(listDeclinedOperations(of, 10)), wanted)
      assert.deepEqual(await store.read(listDeclinedOperations(of, 2)), wanted.slice(0, 2))
      assert.deepEqual(await store.read(listDeclinedOperations({ ...of, merchantId: 'b'.repeat(24) }, 10)), [])
    }),
  )

  test(
    'of many receipts that lock one card one succeeds, and only that one can release it',
    withStore(async ({ store }) => {
      const receipts = await Promise.all(Array.from({ length: 40 }, (_, n) => insertSampleReceipt(store, makeReceipt(n))))
      const lock = (receipt: ReceiptRow, move: 'take' | 'release') => makeLockMove(receipt, makeCard(1).cardId, move)
      const take = (at: number): Promise<string> => {
        const next = nextReceipt(receipts[at]!, { state: 2 })
        return store.write(updateReceipt, {
          ...makeReceiptUpdate(next, { cardLock: lock(next, 'take'), operations: [makeOperation(next, `request ${at}`)] }),
          ...makeReceiptExtras(next),
        })
      }
      const taken = await Promise.all(receipts.map((_, at) => take(at)))
      assert.equal(taken.filter((each) => each === 'updated').length, 1)
      assert.equal(taken.filter((each) => each === 'cardLocked').length, 39)
      const winner = taken.indexOf('updated')
      const loser = winner === 0 ? 1 : 0
      assert.deepEqual(await store.read(findReceipt(receipts[loser]!)), receipts[loser])
      assert.deepEqual(await store.read(listOperations(receipts[loser]!)), [])

      const idle = nextReceipt(receipts[loser]!)
      assert.equal(
        await store.write(updateReceipt, { ...makeReceiptUpdate(idle, { cardLock: lock(idle, 'release') }), ...makeReceiptExtras(idle) }),
        'updated',
      )
      receipts[loser] = idle
      assert.equal(await take(loser), 'cardLocked')
      const done = nextReceipt(nextReceipt(receipts[winner]!))
      assert.equal(
        await store.write(updateReceipt, { ...makeReceiptUpdate(done, { cardLock: lock(done, 'release') }), ...makeReceiptExtras(done) }),
        'updated',
      )
      assert.equal(await take(loser), 'updated')
    }),
  )

  test(
    'an approval removes the one-time card with its verification; when the card has changed, receipt, operation and lock stay as they were',
    withStore(async ({ store, raw }) => {
      const card = makeCard(1, { recurrent: false })
      await store.write(insertCard, { card, audit: makeAuditEntry(card) })
      await store.write(beginVerification, {
        attempt: sampleVerification(card, 'one', clockAt(0)),
        limits: { resendWaitMs: 60_000, pan: null },
        audit: makeAuditEntry(card),
      })
      const receipt = await insertSampleReceipt(store, makeReceipt(1))
      const paying = nextReceipt(receipt, { state: 2 })
      await store.write(updateReceipt, {
        ...makeReceiptUpdate(paying, { cardLock: makeLockMove(paying, card.cardId, 'take') }),
        ...makeReceiptExtras(paying),
      })

      const paid = nextReceipt(paying, { state: 4 })
      const gone = shreddedVersion(card)
      const approval = makeReceiptUpdate(paid, {
        operations: [makeOperation(paid, 'request', { state: 'approved' })],
        cardLock: makeLockMove(paid, card.cardId, 'release'),
        card: { card: gone, audit: makeAuditEntry(gone, 'card.ended') },
      })
      assert.equal(
        await store.write(updateReceipt, {
          ...approval,
          card: { card: { ...gone, version: 9 }, audit: makeAuditEntry(gone) },
          ...makeReceiptExtras(paid),
        }),
        'conflict',
      )
      assert.deepEqual(await store.read(findReceipt(receipt)), paying)
      assert.deepEqual(await store.read(listOperations(receipt)), [])
      assert.equal((await raw('select card_id from card_locks')).length, 1)
      assert.notEqual(await store.read(findVerification(card)), null)

      assert.equal(await store.write(updateReceipt, { ...approval, ...makeReceiptExtras(paid) }), 'updated')
      assert.deepEqual(await store.read(findReceipt(receipt)), paid)
      assert.deepEqual(await store.read(findCard(card)), gone)
      assert.deepEqual(await store.read(findNewestAudited(card.cardId)), { version: gone.version, mac: gone.mac })
      assert.equal((await raw('select card_id from card_locks')).length, 0)
      assert.equal(await store.read(findVerification(card)), null)
    }),
  )

  test(
    'reading a receipt whose row is broken fails with the name of the column',
    withStore(async ({ store, raw }) => {
      const receipt = await insertSampleReceipt(store, makeReceipt(1))
      for (const [column, value] of [
        ['state', '30'],
        ['flagged', '2'],
        ['description', `'bare'`],
        ['customer', `'{}'`],
      ]) {
        await raw(`update receipts set ${column} = ${value}`)
        await assert.rejects(store.read(findReceipt(receipt)), new RegExp(`broken at column ${column}$`))
        await raw(`update receipts set state = 0, flagged = 0, description = '""', customer = null`)
      }
      assert.deepEqual(await store.read(findReceipt(receipt)), receipt)
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
  reconcileAttempts: 7,
} as const
