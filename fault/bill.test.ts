import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeBill, type Bill, type Movement } from './bill.ts'

const paid: Bill = {
  ...{ receiptId: 'r', shop: 'plain', amountTiyin: 500, hold: false, token: 't', key: 'k' },
  ...{ pay: 'paid', answers: [], confirm: 'no', confirmTiyin: 0, cancel: 'no' },
}
const told = { state: 4, amountTiyin: 500 }

function moved(kind: string, amountTiyin = 500, networkRef = 'first'): Movement {
  return { receiptId: 'r', kind, amountTiyin, networkRef }
}

test('a receipt that is paid once is in order', () => {
  assert.equal(judgeBill(paid, told, [moved('authorise')]), null)
  assert.equal(judgeBill(paid, told, [moved('authorise', 500, 'undone'), moved('reverse', 500, 'undone'), moved('authorise')]), null)
})

test('two debits, a debit that is lost and one that nobody acknowledged are found', () => {
  assert.match(judgeBill(paid, told, [moved('authorise'), moved('authorise', 500, 'second')]) ?? '', /debited 2 times/)
  assert.match(judgeBill(paid, told, []) ?? '', /the network took 0/)
  assert.match(judgeBill({ ...paid, pay: 'refused' }, told, [moved('authorise')]) ?? '', /told as refused/)
  assert.match(judgeBill(paid, { state: 0, amountTiyin: 500 }, []) ?? '', /payment was acknowledged/)
  assert.match(judgeBill({ ...paid, pay: 'asked' }, { state: 0, amountTiyin: 500 }, [moved('authorise')]) ?? '', /the network took 500/)
  assert.match(judgeBill({ ...paid, pay: 'asked' }, { state: 20, amountTiyin: 500 }, []) ?? '', /left in state 20/)
})

test('a confirmation that took another sum and a cancellation that did not come are found', () => {
  const hold: Bill = { ...paid, hold: true, confirm: 'acknowledged', confirmTiyin: 300 }
  const ledger = [moved('hold'), moved('capture', 300)]
  assert.equal(judgeBill(hold, { state: 4, amountTiyin: 300 }, ledger), null)
  assert.match(judgeBill({ ...hold, confirmTiyin: 400 }, { state: 4, amountTiyin: 300 }, ledger) ?? '', /400 of it were confirmed/)
  assert.match(judgeBill({ ...hold, confirm: 'no' }, { state: 4, amountTiyin: 300 }, ledger) ?? '', /nobody confirmed/)
  assert.match(judgeBill({ ...paid, cancel: 'acknowledged' }, told, [moved('authorise')]) ?? '', /cancellation was acknowledged/)
  assert.equal(judgeBill({ ...paid, cancel: 'acknowledged' }, { state: 50, amountTiyin: 500 }, [moved('authorise'), moved('refund')]), null)
})
