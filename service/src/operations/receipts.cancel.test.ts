import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { ledgerOf, newReceipt, rowOf, advanceAllReceipts, successPan, takenBy } from '../testing/receipts.fixture.ts'
import { setScenarioStep } from '../store/sandbox.ts'

const app = await createTestApp({ after })

test('an unpaid receipt is cancelled at once, by this API', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  app.clock.advance(500)
  const { receipt } = await merchant.call('receipts.cancel', { id })
  assert.deepEqual([receipt.state, receipt.cancel_time, receipt.pay_time], [50, app.clock.now(), 0])
  assert.equal(
    JSON.stringify(receipt.meta),
    JSON.stringify({ source: 'subscribe', owner: merchant.merchantId, source_cancel: 'subscribe' }),
  )
})

test('a paid or held amount is returned: the reply has state 21, then it is 50 and nothing is debited', async () => {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  for (const hold of [false, true]) {
    const id = await newReceipt(merchant)
    await merchant.call('receipts.pay', { id, token, hold })
    const { receipt } = await merchant.call('receipts.cancel', { id })
    assert.deepEqual([receipt.state, receipt.cancel_time, receipt.meta.source_cancel], [21, 0, 'subscribe'])
    assert.equal(await merchant.expectError('receipts.cancel', { id }), 'cannot_cancel')
    await app.receiptWorker.runOnce()
    const after50 = (await merchant.call('receipts.get', { id })).receipt
    assert.deepEqual([after50.state, after50.cancel_time > 0, after50.amount], [50, true, 500_000])
    assert.deepEqual(takenBy(await ledgerOf(app, await rowOf(app, merchant, id))), { takenTiyin: 0, heldTiyin: 0 })
    assert.equal(await merchant.expectError('receipts.cancel', { id }), 'cannot_cancel')
  }
})

test('a cancellation starts the refund at once, without waiting for the worker’s next round', async (t) => {
  const quick = await createTestApp(t, { refundsInBackgroundOnly: false })
  const merchant = quick.merchant()
  const id = await newReceipt(merchant)
  await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan) })
  assert.equal((await merchant.call('receipts.cancel', { id })).receipt.state, 21)
  const isBack = async () => (await merchant.call('receipts.check', { id })).state === 50
  for (let look = 0; look < 100_000 && !(await isBack()); look++) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(await merchant.call('receipts.check', { id }), { state: 50 })
})

test('of many concurrent cancellations one succeeds, and the money is returned once', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan) })
  const replies = await Promise.all(Array.from({ length: 30 }, () => merchant.callRaw('receipts.cancel', { id })))
  assert.equal(replies.filter((reply) => 'receipt' in reply).length, 1)
  await Promise.all([app.receiptWorker.runOnce(), app.receiptWorker.runOnce(), app.receiptWorker.runOnce()])
  await app.receiptWorker.runOnce()
  const row = await rowOf(app, merchant, id)
  assert.equal(row.state, 50)
  assert.deepEqual((await ledgerOf(app, row)).map(({ kind }) => kind).sort(), ['authorise', 'refund'])
})

test('a refund whose response is lost is queried, and made once', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan) })
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'lose_answer' })
  await merchant.call('receipts.cancel', { id })
  await advanceAllReceipts(app)
  const row = await rowOf(app, merchant, id)
  assert.equal(row.state, 50)
  assert.deepEqual((await ledgerOf(app, row)).map(({ kind, outcome }) => `${kind} ${outcome}`).sort(), [
    'authorise approved',
    'refund approved',
  ])
})

test('a cancelled receipt cannot be paid, and a receipt of another merchant is not found', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  await merchant.call('receipts.cancel', { id })
  assert.equal(
    await merchant.expectError('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan) }),
    'receipt_cancelled',
  )
  assert.equal(await app.merchant().expectError('receipts.cancel', { id }), 'receipt_not_found')
})
