import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiptRecord } from './receipt-record.ts'
import { findUnknownTransactions, judgeShopTransaction, type ShopTransaction } from './shop-records.ts'

const receipt: ReceiptRecord = {
  receiptId: 'r',
  shop: 'withEndpoint',
  amountTiyin: 500,
  hold: false,
  token: 't',
  key: 'k',
  pay: 'paid',
  replies: [],
  confirm: 'none',
  confirmTiyin: 0,
  cancel: 'none',
}
const paid = { state: 4, amountTiyin: 500 }
const cancelled = { state: 50, amountTiyin: 500 }
const performed: ShopTransaction = { id: 'r', amountTiyin: 500, state: 2, performed: 1 }

test('a payment that its merchant performed once, and one that it took back, are right', () => {
  assert.equal(judgeShopTransaction(receipt, paid, performed), null)
  assert.equal(judgeShopTransaction(receipt, cancelled, { ...performed, state: -2 }), null)
  assert.equal(judgeShopTransaction(receipt, cancelled, undefined), null)
  assert.equal(judgeShopTransaction({ ...receipt, hold: true }, paid, undefined), null)
})

test('a merchant that was not notified, notified twice, with another amount, or not of a cancellation is found', () => {
  assert.match(judgeShopTransaction(receipt, paid, undefined) ?? '', /does not know it/)
  assert.match(judgeShopTransaction(receipt, paid, { ...performed, performed: 2 }) ?? '', /performed 2 times/)
  assert.match(judgeShopTransaction(receipt, paid, { ...performed, state: -2 }) ?? '', /state -2/)
  assert.match(judgeShopTransaction(receipt, paid, { ...performed, amountTiyin: 501 }) ?? '', /notified of 501/)
  assert.match(judgeShopTransaction(receipt, cancelled, performed) ?? '', /state 50, and in its merchant's records it is in state 2/)
  assert.match(judgeShopTransaction(receipt, cancelled, { ...performed, state: 1 }) ?? '', /it is in state 1/)
  assert.match(judgeShopTransaction({ ...receipt, hold: true }, paid, performed) ?? '', /is a hold/)
  assert.deepEqual(
    findUnknownTransactions([receipt], { transactions: [performed, { ...performed, id: 's' }], checks: 0, refused: 0, lost: 0 }).length,
    1,
  )
})
