import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { type ReceiptRow, updateReceipt } from '../store/receipts.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { newReceipt, rowOf } from '../testing/receipts.fixture.ts'

const app = await createTestApp({ after })

test('every operation returns the same receipt, masked by profile', async () => {
  const merchant = app.merchant('spec')
  const { receipt } = await merchant.call('receipts.create', { amount: 12 })
  assert.deepEqual((await merchant.call('receipts.get', { id: receipt._id })).receipt, receipt)
  assert.deepEqual((await merchant.withProfile('subscribe').call('receipts.get', { id: receipt._id })).receipt, receipt)
})

test('no operation returns a receipt changed without the keys: internal error, and an alarm', async () => {
  const merchant = app.merchant()
  const changes: Partial<ReceiptRow>[] = [
    { state: 4 as const },
    { amountTiyin: 1 },
    { takenTiyin: 1 },
    { hold: true },
    { account: '[]' },
    { cardId: '0'.repeat(24) },
    { oneTime: true },
    { networkRef: 'x' },
    { requestId: 'x' },
    { createdAt: 1 },
    { payTime: 1 },
    { cancelTime: 1 },
    { sourceCancel: 'x' },
    { fiscal: '{}' },
    { unknownSince: 1 },
    { flagged: true },
    { dueAt: null },
    { reconcileAttempts: 1 },
    { description: 'x' },
    { detail: '{}' },
    { payer: '{}' },
    { error: '{}' },
    { maskedPan: 'x' },
    { cardExpiry: '0499' },
    { customer: 'x' },
    { mac: new Uint8Array(48) },
    { mac: new Uint8Array(0) },
  ]
  for (const change of changes) {
    const id = await newReceipt(merchant)
    const row = await rowOf(app, merchant, id)
    await putInPlace({ ...row, ...change, version: 2 })
    const before = app.alarms.length
    assert.equal(await merchant.expectError('receipts.get', { id }), 'internal_error', Object.keys(change).join())
    assert.deepEqual(app.alarms.slice(before), [`row_tampered ${id}`])
  }
})

test('the worker moves no money of a receipt changed without the keys, and reports it once', async (t) => {
  const other = await createTestApp(t)
  const merchant = other.merchant()
  const id = await newReceipt(merchant)
  const row = await rowOf(other, merchant, id)
  const tampered = { ...row, state: 21 as const, dueAt: other.clock.now(), version: 2 }
  await other.store.write(updateReceipt, { receipt: tampered, operations: [], cardLock: null, card: null, ...ridersOf(row) })
  assert.equal(await other.receiptWorker.runOnce(), 0)
  assert.equal(await other.receiptWorker.runOnce(), 0)
  assert.deepEqual(other.alarms, [`row_tampered ${id}`])
  assert.equal((await rowOf(other, merchant, id)).state, 21)
})

async function putInPlace(next: ReceiptRow): Promise<void> {
  await app.store.write(updateReceipt, { receipt: next, operations: [], cardLock: null, card: null, ...ridersOf(next) })
}

function ridersOf({ merchantId, receiptId }: ReceiptRow) {
  const who = { at: 0, actor: 'test', action: 'test', merchantId, subject: receiptId, requestId: '', outcome: 'test' }
  return { audit: { ...who, version: 0, mac: new Uint8Array(0) } }
}
