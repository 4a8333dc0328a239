import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { ReceiptRow } from '../store/store.ts'

import { compose } from './compose.fixture.ts'
import { newReceipt, rowOf } from './receipts.fixture.ts'

const house = await compose()
after(() => house.close())

test('a receipt is told the same by every method, and as each profile masks', async () => {
  const merchant = house.caller('spec')
  const { receipt } = await merchant.expect('receipts.create', { amount: 12 })
  assert.deepEqual((await merchant.expect('receipts.get', { id: receipt._id })).receipt, receipt)
  assert.deepEqual((await merchant.in('subscribe').expect('receipts.get', { id: receipt._id })).receipt, receipt)
})

test('a receipt that was changed without the keys is answered by no method: a fault of ours, and an alarm', async () => {
  const merchant = house.caller()
  const changes: Partial<ReceiptRow>[] = [
    ...[{ state: 4 as const }, { amountTiyin: 1 }, { takenTiyin: 1 }, { hold: true }, { account: '[]' }, { cardId: '0'.repeat(24) }],
    ...[{ oneTime: true }, { networkRef: 'x' }, { requestId: 'x' }, { createdAt: 1 }, { payTime: 1 }, { cancelTime: 1 }],
    ...[{ sourceCancel: 'x' }, { fiscal: '{}' }, { unknownSince: 1 }, { flagged: true }, { dueAt: null }, { looks: 1 }],
    ...[{ description: 'x' }, { detail: '{}' }, { payer: '{}' }, { error: '{}' }, { maskedPan: 'x' }, { cardExpiry: '0499' }],
    ...[{ customer: 'x' }, { mac: new Uint8Array(48) }, { mac: new Uint8Array(0) }],
  ]
  for (const change of changes) {
    const id = await newReceipt(merchant)
    const row = await rowOf(house, merchant, id)
    await putInPlace({ ...row, ...change, version: 2 })
    const before = house.alarms.length
    assert.equal(await merchant.refused('receipts.get', { id }), 'internal_error', Object.keys(change).join())
    assert.deepEqual(house.alarms.slice(before), [`row_tampered ${id}`])
  }
})

test('the background moves no money of a receipt that was changed without the keys, and tells of it once', async () => {
  const other = await compose()
  try {
    const merchant = other.caller()
    const id = await newReceipt(merchant)
    const row = await rowOf(other, merchant, id)
    const tampered = { ...row, state: 21 as const, dueAt: other.clock.now(), version: 2 }
    await other.store.changeReceipt({ next: tampered, operations: [], cardLock: null, card: null }, ridersOf(row))
    assert.equal(await other.settle.runOnce(), 0)
    assert.equal(await other.settle.runOnce(), 0)
    assert.deepEqual(other.alarms, [`row_tampered ${id}`])
    assert.equal((await rowOf(other, merchant, id)).state, 21)
  } finally {
    await other.close()
  }
})

async function putInPlace(next: ReceiptRow): Promise<void> {
  await house.store.changeReceipt({ next, operations: [], cardLock: null, card: null }, ridersOf(next))
}

function ridersOf({ merchantId, receiptId }: ReceiptRow) {
  const who = { at: 0, actor: 'test', action: 'test', merchantId, subject: receiptId, requestId: '', outcome: 'test' }
  return { audit: { ...who, version: 0, mac: new Uint8Array(0) }, claim: null, answer: null, events: [] }
}
