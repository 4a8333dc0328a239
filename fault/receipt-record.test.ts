import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeReceipt, type ReceiptRecord, type LedgerMovement } from './receipt-record.ts'

const paid: ReceiptRecord = {
  receiptId: 'r',
  shop: 'plain',
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
const final = { state: 4, amountTiyin: 500 }

function movement(kind: string, amountTiyin = 500, networkRef = 'first'): LedgerMovement {
  return { receiptId: 'r', kind, amountTiyin, networkRef }
}

test('a receipt that was debited once is right', () => {
  assert.equal(judgeReceipt(paid, final, [movement('authorise')]), null)
  assert.equal(
    judgeReceipt(paid, final, [movement('authorise', 500, 'undone'), movement('reverse', 500, 'undone'), movement('authorise')]),
    null,
  )
})

test('two debits, a lost debit and a debit that was not acknowledged are found', () => {
  assert.match(judgeReceipt(paid, final, [movement('authorise'), movement('authorise', 500, 'second')]) ?? '', /debited 2 times/)
  assert.match(judgeReceipt(paid, final, []) ?? '', /the network took 0/)
  assert.match(judgeReceipt({ ...paid, pay: 'refused' }, final, [movement('authorise')]) ?? '', /reported as refused/)
  assert.match(judgeReceipt(paid, { state: 0, amountTiyin: 500 }, []) ?? '', /payment was acknowledged/)
  assert.match(
    judgeReceipt({ ...paid, pay: 'sent' }, { state: 0, amountTiyin: 500 }, [movement('authorise')]) ?? '',
    /the network took 500/,
  )
  assert.match(judgeReceipt({ ...paid, pay: 'sent' }, { state: 20, amountTiyin: 500 }, []) ?? '', /left in state 20/)
})

test('a confirmation with another amount and a cancellation without effect are found', () => {
  const hold: ReceiptRecord = { ...paid, hold: true, confirm: 'acknowledged', confirmTiyin: 300 }
  const ledger = [movement('hold'), movement('capture', 300)]
  assert.equal(judgeReceipt(hold, { state: 4, amountTiyin: 300 }, ledger), null)
  assert.match(judgeReceipt({ ...hold, confirmTiyin: 400 }, { state: 4, amountTiyin: 300 }, ledger) ?? '', /400 of it was confirmed/)
  assert.match(judgeReceipt({ ...hold, confirm: 'none' }, { state: 4, amountTiyin: 300 }, ledger) ?? '', /without a confirmation/)
  assert.match(judgeReceipt({ ...paid, cancel: 'acknowledged' }, final, [movement('authorise')]) ?? '', /cancellation was acknowledged/)
  assert.equal(
    judgeReceipt({ ...paid, cancel: 'acknowledged' }, { state: 50, amountTiyin: 500 }, [movement('authorise'), movement('refund')]),
    null,
  )
})
