import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { compose } from './compose.fixture.ts'
import { ledgerOf, newReceipt, rowOf, settleAll, successPan, takenBy } from './receipts.fixture.ts'

const house = await compose()
after(() => house.close())

test('an unpaid receipt is cancelled at once, by this API', async () => {
  const merchant = house.caller()
  const id = await newReceipt(merchant)
  house.clock.advance(500)
  const { receipt } = await merchant.expect('receipts.cancel', { id })
  assert.deepEqual([receipt.state, receipt.cancel_time, receipt.pay_time], [50, house.clock.now(), 0])
  assert.equal(
    JSON.stringify(receipt.meta),
    JSON.stringify({ source: 'subscribe', owner: merchant.merchantId, source_cancel: 'subscribe' }),
  )
})

test('paid or held money goes back: 21 is answered, then it is 50 and nothing is left taken', async () => {
  const merchant = house.caller()
  const token = await merchant.verified(successPan)
  for (const hold of [false, true]) {
    const id = await newReceipt(merchant)
    await merchant.expect('receipts.pay', { id, token, hold })
    const { receipt } = await merchant.expect('receipts.cancel', { id })
    assert.deepEqual([receipt.state, receipt.cancel_time, receipt.meta.source_cancel], [21, 0, 'subscribe'])
    assert.equal(await merchant.refused('receipts.cancel', { id }), 'cannot_cancel')
    await house.settle.runOnce()
    const after50 = (await merchant.expect('receipts.get', { id })).receipt
    assert.deepEqual([after50.state, after50.cancel_time > 0, after50.amount], [50, true, 500_000])
    assert.deepEqual(takenBy(await ledgerOf(house, await rowOf(house, merchant, id))), { takenTiyin: 0, heldTiyin: 0 })
    assert.equal(await merchant.refused('receipts.cancel', { id }), 'cannot_cancel')
  }
})

test('the background is told at once, so that nobody waits for its round', async () => {
  const quick = await compose({ kicks: true })
  try {
    const merchant = quick.caller()
    const id = await newReceipt(merchant)
    await merchant.expect('receipts.pay', { id, token: await merchant.verified(successPan) })
    assert.equal((await merchant.expect('receipts.cancel', { id })).receipt.state, 21)
    const isBack = async () => (await merchant.expect('receipts.check', { id })).state === 50
    for (let look = 0; look < 100_000 && !(await isBack()); look++) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(await merchant.expect('receipts.check', { id }), { state: 50 })
  } finally {
    await quick.close()
  }
})

test('of many cancellations at once one cancels, and the money goes back once', async () => {
  const merchant = house.caller()
  const id = await newReceipt(merchant)
  await merchant.expect('receipts.pay', { id, token: await merchant.verified(successPan) })
  const replies = await Promise.all(Array.from({ length: 30 }, () => merchant.call('receipts.cancel', { id })))
  assert.equal(replies.filter((reply) => 'receipt' in reply).length, 1)
  await Promise.all([house.settle.runOnce(), house.settle.runOnce(), house.settle.runOnce()])
  await house.settle.runOnce()
  const row = await rowOf(house, merchant, id)
  assert.equal(row.state, 50)
  assert.deepEqual((await ledgerOf(house, row)).map(({ kind }) => kind).sort(), ['authorise', 'refund'])
})

test('a return whose answer is lost is asked about, and made once', async () => {
  const merchant = house.caller()
  const id = await newReceipt(merchant)
  await merchant.expect('receipts.pay', { id, token: await merchant.verified(successPan) })
  await house.store.setScenarioStep(merchant.merchantId, 'network', 'lose_answer')
  await merchant.expect('receipts.cancel', { id })
  await settleAll(house)
  const row = await rowOf(house, merchant, id)
  assert.equal(row.state, 50)
  assert.deepEqual((await ledgerOf(house, row)).map(({ kind, outcome }) => `${kind} ${outcome}`).sort(), [
    'authorise approved',
    'refund approved',
  ])
})

test('a cancelled receipt is not paid, and what is no receipt of the caller’s is not there', async () => {
  const merchant = house.caller()
  const id = await newReceipt(merchant)
  await merchant.expect('receipts.cancel', { id })
  assert.equal(await merchant.refused('receipts.pay', { id, token: await merchant.verified(successPan) }), 'receipt_cancelled')
  assert.equal(await house.caller().refused('receipts.cancel', { id }), 'receipt_not_found')
})
