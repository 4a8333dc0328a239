import assert from 'node:assert/strict'
import { test } from 'node:test'

import { receiptStatuses } from '@tessera/contract/receipt-status'

import {
  claimSummaries,
  listReceiptSummaries,
  listSummaryPositions,
  type ReceiptSummary,
  type StoreReceiptSummaries,
  storeReceiptSummaries,
  type SummaryKey,
} from '../receipt-summaries.ts'
import type { Store } from '../store.ts'
import { receiptIdOf } from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'
import { bucket, sampleMerchantId, T0 } from './samples.fixture.ts'

export function receiptSummariesSuite(withStore: WithStore): void {
  test(
    'receipts are found by each key, newest first, in a range of time, page by page, for their merchant alone',
    withStore(async ({ store }) => {
      const summaries = Array.from({ length: 24 }, (_, n) =>
        makeSummary(n, {
          status: n % 2 === 0 ? 'paid' : 'failed',
          cardId: n % 3 === 0 ? 'c'.repeat(24) : '',
          customer: n % 4 === 0 ? 'payer \u0000' : '',
          amountTiyin: n % 5 === 0 ? 777 : 500,
        }),
      )
      const orders = summaries.filter((_, n) => n % 6 === 0).map((summary) => toOrder(summary, 'a-1'))
      const foreign = makeSummary(99, { merchantId: 'b'.repeat(24), customer: 'payer \u0000', cardId: 'c'.repeat(24), amountTiyin: 777 })
      await save(store, { summaries: [...summaries, foreign], orders: [...orders, toOrder(foreign, 'a-1')] })

      const keys: [SummaryKey, (summary: ReceiptSummary, n: number) => boolean][] = [
        [{ key: 'time' }, () => true],
        [{ key: 'status', value: 'failed' }, ({ status }) => status === 'failed'],
        [{ key: 'card', value: 'c'.repeat(24) }, ({ cardId }) => cardId !== ''],
        [{ key: 'customer', value: 'payer \u0000' }, ({ customer }) => customer !== ''],
        [{ key: 'amount', value: 777 }, ({ amountTiyin }) => amountTiyin === 777],
        [{ key: 'order', value: 'a-1' }, (_, n) => n % 6 === 0],
      ]
      for (const [by, isWanted] of keys) {
        const wanted = summaries
          .filter(isWanted)
          .filter(({ createdAt }) => createdAt >= T0 + 2 && createdAt < T0 + 20)
          .reverse()
        assert.ok(wanted.length >= 2, by.key)
        const query = { bucket, merchantId: sampleMerchantId, from: T0 + 2, to: T0 + 20, by }
        assert.deepEqual(await store.read(listReceiptSummaries({ ...query, after: null, count: 50 })), wanted, by.key)
        const [first, ...rest] = wanted
        const after = { at: first?.createdAt ?? 0, id: first?.receiptId ?? '' }
        assert.deepEqual(await store.read(listReceiptSummaries({ ...query, after, count: 50 })), rest, by.key)
        assert.deepEqual(await store.read(listReceiptSummaries({ ...query, after, count: 1 })), rest.slice(0, 1), by.key)
      }
      const unknown = { bucket, merchantId: sampleMerchantId, from: 0, to: T0 + 99, after: null, count: 9 }
      assert.deepEqual(await store.read(listReceiptSummaries({ ...unknown, by: { key: 'order', value: 'a-2' } })), [])
    }),
  )

  test(
    'receipts of one time are ordered by their ids, and none is lost between two pages',
    withStore(async ({ store }) => {
      const summaries = Array.from({ length: 9 }, (_, n) => makeSummary(n, { createdAt: T0 }))
      await save(store, { summaries })
      const query = { bucket, merchantId: sampleMerchantId, from: T0, to: T0 + 1, by: { key: 'status', value: 'paid' } } as const
      const first = await store.read(listReceiptSummaries({ ...query, after: null, count: 4 }))
      const rest = await store.read(listReceiptSummaries({ ...query, after: { at: T0, id: first[3]?.receiptId ?? '' }, count: 9 }))
      assert.deepEqual([...first, ...rest], [...summaries].reverse())
    }),
  )

  test(
    'a summary is replaced by one of a newer version of the receipt, and by no older one, also when both come at once',
    withStore(async ({ store }) => {
      const [one, two] = [makeSummary(1, { version: 1, status: 'open' }), makeSummary(1, { version: 2, status: 'paid' })]
      await save(store, { summaries: [two] })
      await save(store, { summaries: [one] })
      assert.deepEqual(await listAll(store), [two])
      const versions = receiptStatuses.map((status, at) => makeSummary(1, { version: 3 + at, status }))
      await Promise.all(versions.map((summary) => save(store, { summaries: [summary] })))
      assert.deepEqual(await listAll(store), [versions.at(-1)])
    }),
  )

  test(
    'a position is stored with its summaries, and never goes back',
    withStore(async ({ store }) => {
      await save(store, { positions: [{ chain: 'one', seq: 7 }] })
      await save(store, { positions: [{ chain: 'two', seq: 2 }] })
      await save(store, { positions: [{ chain: 'one', seq: 5 }] })
      assert.deepEqual(await store.read(listSummaryPositions()), [
        { chain: 'one', seq: 7 },
        { chain: 'two', seq: 2 },
      ])
    }),
  )

  test(
    'one process sums up, until its time is over; a time that only a clock which was ahead can have written keeps nobody out',
    withStore(async ({ store }) => {
      const claim = (processId: string, now: number): Promise<boolean> =>
        store.write(claimSummaries, { processId, now, endsAt: now + 10_000 })
      assert.equal(await claim('one', T0), true)
      assert.equal(await claim('two', T0 + 5000), false)
      assert.equal(await claim('one', T0 + 5000), true)
      // A clock that is a little behind.
      assert.equal(await claim('two', T0 - 30_000), false)
      assert.equal(await claim('two', T0 + 15_000), true)
      assert.equal(await claim('one', T0 + 86_400_000), true)
      assert.equal(await claim('two', T0 + 20_000), true)
    }),
  )
}

function makeSummary(number: number, over: Partial<ReceiptSummary> = {}): ReceiptSummary {
  return {
    bucket,
    receiptId: receiptIdOf(number),
    merchantId: sampleMerchantId,
    version: 1,
    status: 'paid',
    amountTiyin: 500_000,
    capturedTiyin: 500_000,
    refundedTiyin: 0,
    cardId: '',
    customer: '',
    reason: '',
    createdAt: T0 + number,
    paidAt: T0 + number,
    capturedAt: T0 + number,
    refundedAt: 0,
    ...over,
  }
}

function toOrder({ receiptId, merchantId, createdAt }: ReceiptSummary, value: string) {
  return { bucket, merchantId, value, createdAt, receiptId }
}

async function save(store: Store, over: Partial<StoreReceiptSummaries>): Promise<void> {
  await store.write(storeReceiptSummaries, { summaries: [], orders: [], positions: [{ chain: 'embedded', seq: 1 }], ...over })
}

function listAll(store: Store): Promise<ReceiptSummary[]> {
  const query = { bucket, merchantId: sampleMerchantId, from: 0, to: T0 + 99, by: { key: 'time' }, after: null, count: 50 } as const
  return store.read(listReceiptSummaries(query))
}
