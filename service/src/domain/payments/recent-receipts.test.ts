import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { listOperations } from '../../store/operations.ts'
import { emptyOperationsDigest, operationsDigestOf } from '../../store/operations-digest.ts'
import { findReceipt } from '../../store/receipts.ts'
import { listReceiptSummaries } from '../../store/receipt-summaries.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import { makeOperation, makeReceipt } from '../../store/suite/money.fixture.ts'
import { newReceipt, rowOf, successPan } from '../../testing/receipts.fixture.ts'
import { replaceInStore, replaceRead } from '../../testing/store.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'
import { toSummary } from '../reporting/receipt-summaries.ts'
import { makeRecentReceipts } from './recent-receipts.ts'

const receipt = makeReceipt(1, { version: 2 })
const operation = makeOperation(receipt, 'a')
const paying = { ...receipt, operationsDigest: operationsDigestOf([operation]) }

test('a receipt is taken once, in its version or for an older one', () => {
  const recent = makeRecentReceipts()
  recent.add(paying, [operation])
  assert.deepEqual(recent.take(receipt.receiptId, 2), { receipt: paying, operations: [operation] })
  assert.equal(recent.take(receipt.receiptId, 2), null)
  recent.add(paying, [operation])
  assert.notEqual(recent.take(receipt.receiptId, 1), null)
})

test('a receipt that another process has changed since is read', () => {
  const recent = makeRecentReceipts()
  recent.add(paying, [operation])
  assert.equal(recent.take(receipt.receiptId, 3), null)
  recent.add(paying, [operation])
  assert.equal(recent.take(receipt.receiptId, Infinity), null)
})

test('a receipt of which not all operations are known, or whose digest is missing, is read', () => {
  const recent = makeRecentReceipts()
  const earlier = makeOperation(receipt, 'b', { state: 'declined' })
  recent.add({ ...receipt, operationsDigest: operationsDigestOf([earlier, operation]) }, [operation])
  assert.equal(recent.take(receipt.receiptId, 2), null)
  recent.add({ ...receipt, operationsDigest: new Uint8Array(0) }, [])
  assert.equal(recent.take(receipt.receiptId, 2), null)
})

test('an older version does not take the place of a newer one', () => {
  const recent = makeRecentReceipts()
  recent.add(paying, [operation])
  recent.add(makeReceipt(1), [])
  assert.equal(recent.take(receipt.receiptId, 2)?.receipt, paying)
})

test('the oldest of more than 2,048 receipts is read', () => {
  const recent = makeRecentReceipts()
  const unpaid = { operationsDigest: emptyOperationsDigest }
  for (let number = 0; number <= 2048; number++) recent.add(makeReceipt(number, unpaid), [])
  assert.deepEqual([recent.take(makeReceipt(0).receiptId, 1), recent.take(makeReceipt(1).receiptId, 1) !== null], [null, true])
})

test(
  'a receipt that was just changed is summed up without being read, and as it would be then',
  withSqlite(async ({ store }) => {
    let reads = 0
    const count = replaceRead(findReceipt(receipt), (_values, original) => {
      reads++
      return original()
    })
    const app = await createTestApp({ after }, { store: replaceInStore(store, count) })
    const shop = app.merchant('spec')
    const { bucket, merchantId } = shop
    const token = await shop.createVerifiedToken(successPan, { save: true })
    const { receipt: paid } = await shop.call('receipts.pay', { id: await newReceipt(shop), token })
    await newReceipt(shop)
    reads = 0
    assert.equal(await app.dashboard.receiptSummaries.runOnce(new AbortController().signal), 2)
    assert.equal(reads, 0)
    const page = { from: 0, to: Number.MAX_SAFE_INTEGER, by: { key: 'time' }, after: null, count: 10 } as const
    const summary = (await store.read(listReceiptSummaries({ bucket, merchantId, ...page }))).find(
      ({ receiptId }) => receiptId === paid._id,
    )
    const row = await rowOf(app, shop, paid._id)
    assert.deepEqual(summary, toSummary(row, await store.read(listOperations(row))))
    assert.equal(summary.status, 'paid')
  }),
)
