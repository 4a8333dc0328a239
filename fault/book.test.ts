import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Bill } from './bill.ts'
import { findStrangers, judgeEntry, type ShopEntry } from './book.ts'

const bill: Bill = {
  ...{ receiptId: 'r', shop: 'asked', amountTiyin: 500, hold: false, token: 't', key: 'k' },
  ...{ pay: 'paid', answers: [], confirm: 'no', confirmTiyin: 0, cancel: 'no' },
}
const paid = { state: 4, amountTiyin: 500 }
const cancelled = { state: 50, amountTiyin: 500 }
const performed: ShopEntry = { id: 'r', amountTiyin: 500, state: 2, performed: 1 }

test('a payment that its merchant performed once, and one that it took back, are in order', () => {
  assert.equal(judgeEntry(bill, paid, performed), null)
  assert.equal(judgeEntry(bill, cancelled, { ...performed, state: -2 }), null)
  assert.equal(judgeEntry(bill, cancelled, undefined), null)
  assert.equal(judgeEntry({ ...bill, hold: true }, paid, undefined), null)
})

test('a merchant that was not told, told twice, told another sum, or left with what went back is found', () => {
  assert.match(judgeEntry(bill, paid, undefined) ?? '', /does not know it/)
  assert.match(judgeEntry(bill, paid, { ...performed, performed: 2 }) ?? '', /performed 2 times/)
  assert.match(judgeEntry(bill, paid, { ...performed, state: -2 }) ?? '', /state -2/)
  assert.match(judgeEntry(bill, paid, { ...performed, amountTiyin: 501 }) ?? '', /told 501/)
  assert.match(judgeEntry(bill, cancelled, performed) ?? '', /state 50, and in its merchant's book it is in state 2/)
  assert.match(judgeEntry(bill, cancelled, { ...performed, state: 1 }) ?? '', /it is in state 1/)
  assert.match(judgeEntry({ ...bill, hold: true }, paid, performed) ?? '', /is a hold/)
  assert.deepEqual(findStrangers([bill], { entries: [performed, { ...performed, id: 's' }], checks: 0, refused: 0, lost: 0 }).length, 1)
})
