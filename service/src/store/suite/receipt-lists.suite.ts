import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { ReceiptState } from '@tessera/contract/receipt'

import { listDueInProgress, listDueReceipts, listReceiptPage, listReceipts, type ReceiptRow, updateReceipt } from '../receipts.ts'
import { bucket, sampleMerchantId, T0 } from './samples.fixture.ts'
import { insertSampleReceipt, makeOperation, makeReceipt, makeReceiptExtras, makeReceiptUpdate, nextReceipt } from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function receiptListsSuite(withStore: WithStore): void {
  test(
    'receipts are listed newest first by time and id, in a range of time, for their merchant alone',
    withStore(async ({ store }) => {
      // Three with the same time, so that the id decides the order.
      const receipts = Array.from({ length: 30 }, (_, n) => makeReceipt((n * 7) % 30, { createdAt: T0 + Math.floor(n / 3) }))
      await Promise.all(receipts.map((receipt) => insertSampleReceipt(store, receipt)))
      await insertSampleReceipt(store, makeReceipt(99, { createdAt: T0 + 5, merchantId: 'b'.repeat(24) }))
      await insertSampleReceipt(store, makeReceipt(98, { createdAt: T0 + 5, bucket: bucket + 1 }))

      const wanted = receipts.filter(({ createdAt }) => createdAt >= T0 + 2 && createdAt < T0 + 8).sort(newestFirst)
      const range = { bucket, merchantId: sampleMerchantId, from: T0 + 2, to: T0 + 8 }
      assert.equal(wanted.length, 18)
      assert.deepEqual(await store.read(listReceipts({ ...range, count: 50, offset: 0 })), wanted)
      assert.deepEqual(await store.read(listReceipts({ ...range, count: 5, offset: 4 })), wanted.slice(4, 9))
      assert.deepEqual(await store.read(listReceipts({ ...range, count: 50, offset: 18 })), [])
      const page = await store.read(listReceiptPage({ ...range, state: null, after: null, count: 7 }))
      assert.deepEqual(page, wanted.slice(0, 7))
      const { createdAt: at, receiptId: id } = wanted[6] ?? makeReceipt(0)
      assert.deepEqual(await store.read(listReceiptPage({ ...range, state: null, after: { at, id }, count: 50 })), wanted.slice(7))
    }),
  )

  test(
    'receipts in one state are listed newest first and page by page, without those in other states',
    withStore(async ({ store }) => {
      const receipts = Array.from({ length: 12 }, (_, n) =>
        makeReceipt(n, { createdAt: T0 + Math.floor(n / 4), state: n % 2 === 0 ? 4 : 50 }),
      )
      await Promise.all(receipts.map((receipt) => insertSampleReceipt(store, receipt)))
      await insertSampleReceipt(store, makeReceipt(99, { createdAt: T0 + 1, state: 50, merchantId: 'b'.repeat(24) }))
      const wanted = receipts.filter(({ state }) => state === 50).sort(newestFirst)
      const query = { bucket, merchantId: sampleMerchantId, from: T0, to: T0 + 9, state: 50 } as const
      assert.deepEqual(await store.read(listReceiptPage({ ...query, after: null, count: 4 })), wanted.slice(0, 4))
      const { createdAt: at, receiptId: id } = wanted[3] ?? makeReceipt(0)
      assert.deepEqual(await store.read(listReceiptPage({ ...query, after: { at, id }, count: 4 })), wanted.slice(4))
      assert.deepEqual(await store.read(listReceiptPage({ ...query, from: T0 + 2, after: null, count: 9 })), wanted.slice(0, 2))
      assert.deepEqual(await store.read(listReceiptPage({ ...query, state: 21, after: null, count: 9 })), [])
    }),
  )

  test(
    'due receipts of all merchants are listed longest due first, and those without a due time never',
    withStore(async ({ store }) => {
      const [late, early, now, future, never] = [
        makeReceipt(1, { dueAt: 500 }),
        makeReceipt(2, { dueAt: 100, merchantId: 'b'.repeat(24), bucket: 1 }),
        makeReceipt(3, { dueAt: 501 }),
        makeReceipt(4, { dueAt: 502 }),
        makeReceipt(5),
      ]
      for (const receipt of [late, early, now, future, never]) await insertSampleReceipt(store, receipt)
      assert.deepEqual(await store.read(listDueReceipts(501, 10)), [early, late, now])
      assert.deepEqual(await store.read(listDueReceipts(501, 2)), [early, late])
      assert.deepEqual(await store.read(listDueReceipts(99, 2)), [])
      assert.deepEqual(await store.read(listDueReceipts(501, 2, early)), [late, now])
      assert.deepEqual(await store.read(listDueReceipts(501, 2, now)), [])
    }),
  )

  test(
    'of what is due, unpaid receipts and holds without a pending capture can be left out, page by page',
    withStore(async ({ store }) => {
      const unpaid = [1, 2, 3].map((number) => makeReceipt(number, { dueAt: 100 }))
      const inProgress = [1, 2, 3, 4, 6, 20, 21, 50].map((state, at) =>
        makeReceipt(10 + at, { state: state as ReceiptState, dueAt: 200 + at }),
      )
      const holds = (['asked', 'unknown', 'approved', 'declined'] as const).map((state, at) => ({
        receipt: makeReceipt(20 + at, { state: 5, dueAt: 300 + at, requestId: `capture ${state}` }),
        state,
      }))
      for (const receipt of [...unpaid, ...inProgress, ...holds.map((each) => each.receipt), makeReceipt(30, { state: 20, dueAt: 501 })]) {
        await insertSampleReceipt(store, receipt)
      }
      for (const { receipt, state } of holds) {
        const operations = [
          makeOperation(receipt, receipt.requestId, { kind: 'capture', state }),
          makeOperation(receipt, `${receipt.requestId} before`, { kind: 'capture' }),
        ]
        const update = { ...makeReceiptUpdate(nextReceipt(receipt), { operations }), ...makeReceiptExtras(receipt) }
        assert.equal(await store.write(updateReceipt, update), 'updated')
      }
      const held = makeReceipt(40, { state: 5, dueAt: 400, requestId: 'hold asked' })
      await insertSampleReceipt(store, held)
      const wanted = [...inProgress, ...holds.slice(0, 2).map((each) => each.receipt)].map(({ receiptId }) => receiptId)
      const all = await store.read(listDueInProgress(500, 50))
      assert.deepEqual(
        all.map(({ receiptId }) => receiptId),
        wanted,
      )
      assert.deepEqual(await store.read(listDueInProgress(500, 4)), all.slice(0, 4))
      assert.deepEqual(await store.read(listDueInProgress(500, 50, all[3])), all.slice(4))
    }),
  )

  test(
    'a broken receipt in the list of due receipts has its column and ids, beside the others, and the next page continues after it',
    withStore(async ({ store, raw }) => {
      const [before, bad, after] = [1, 2, 3].map((number) => makeReceipt(number, { dueAt: number * 100 }))
      for (const receipt of [before!, bad!, after!]) await insertSampleReceipt(store, receipt)
      const { receiptId, dueAt, createdAt } = bad!
      for (const [column, value] of [['state', '77'] as const, ['flagged', '2'] as const]) {
        await raw(`update receipts set ${column} = ${value} where receipt_id = '${receiptId}'`)
        const broken = { brokenAt: column, bucket, merchantId: sampleMerchantId, receiptId, dueAt, createdAt }
        assert.deepEqual(await store.read(listDueReceipts(500, 10)), [before, broken, after])
        assert.deepEqual(await store.read(listDueReceipts(500, 10, broken)), [after])
        await raw(`update receipts set state = 0, flagged = 0 where receipt_id = '${receiptId}'`)
      }
    }),
  )
}

function newestFirst(one: ReceiptRow, other: ReceiptRow): number {
  return other.createdAt - one.createdAt || (one.receiptId < other.receiptId ? 1 : -1)
}
