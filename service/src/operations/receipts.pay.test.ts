import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { ledgerOf, newReceipt, pass, rowOf, successPan, takenBy } from '../testing/receipts.fixture.ts'
import { findCard } from '../store/cards.ts'
import { listOperations } from '../store/operations.ts'
import { setScenarioStep } from '../store/sandbox.ts'

const app = await createTestApp({ after })

test('a verified card pays: the reply has the time, the masked card with YYMM, and the payer as given', async () => {
  for (const [profile, number] of [
    ['spec', '8600***6311'],
    ['subscribe', '860006******6311'],
  ] as const) {
    const merchant = app.merchant(profile)
    const token = await merchant.createVerifiedToken(successPan)
    const id = await newReceipt(merchant)
    app.clock.advance(1000)
    const payer = { phone: '998901234566', name: 'Ё', ip: null }
    const { receipt } = await merchant.call('receipts.pay', { id, token, payer })
    assert.deepEqual([receipt.state, receipt.pay_time, receipt.cancel_time], [4, app.clock.now(), 0])
    assert.deepEqual([receipt.card, receipt.payer, receipt.error], [{ number, expire: '9903' }, payer, null])
    assert.deepEqual((await merchant.call('receipts.get', { id })).receipt, receipt)
    assert.deepEqual(takenBy(await ledgerOf(app, await rowOf(app, merchant, id))), { takenTiyin: 500_000, heldTiyin: 0 })
  }
})

test('with hold, at pay or at create, the amount is held; the value at pay takes precedence', async () => {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  const cases = [
    { atCreate: true, atPay: null, state: 5 },
    { atCreate: false, atPay: true, state: 5 },
    { atCreate: true, atPay: false, state: 4 },
  ]
  for (const { atCreate, atPay, state } of cases) {
    const { receipt } = await merchant.call('receipts.create', { amount: 700, hold: atCreate })
    const paid = await merchant.call('receipts.pay', { id: receipt._id, token, hold: atPay })
    assert.deepEqual([paid.receipt.state, paid.receipt.pay_time], [state, app.clock.now()])
  }
})

test('each decline of the network has its own reason, debits nothing, and leaves the receipt payable', async () => {
  const cases: [pan: string, code: number, reason: string, message: string][] = [
    ['8600060921090842', -31630, 'sms_not_connected', 'SMS notification is not connected for this card.'],
    ['3333336415804657', -31630, 'card_expired', 'The card has expired.'],
    ['4444445987459073', -31630, 'card_blocked', 'The card is blocked.'],
    ['8600143417770323', -31630, 'system_error', 'The payment failed at the bank; nothing was charged.'],
    ['8600134301849596', -31630, 'network_timeout', 'The bank did not respond in time; nothing was charged.'],
  ]
  const merchant = app.merchant()
  for (const scenario of ['sms_not_connected', 'card_expired', 'card_blocked', 'system_error', 'network_timeout']) {
    await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario, step: 'pay' })
  }
  for (const [pan, code, reason, message] of cases) {
    const token = await merchant.createVerifiedToken(pan)
    const id = await newReceipt(merchant)
    const reply = await pass(app, merchant.callRaw('receipts.pay', { id, token }))
    assert.ok('error' in reply, reason)
    assert.deepEqual([reply.error.code, reply.error.reason, reply.error.message], [code, reason, message])
    const { receipt } = await merchant.call('receipts.get', { id })
    assert.deepEqual([receipt.state, receipt.card, receipt.error], [0, null, { code, message: reply.error.message, reason }])
    assert.equal(takenBy(await ledgerOf(app, await rowOf(app, merchant, id))).takenTiyin, 0)
    await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan) })
  }
})

test('simulated declines of a valid card: insufficient funds, card limit, declined, and debit failed', async () => {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  for (const [step, code] of [
    ['insufficient_funds', -31630],
    ['card_limit', -31630],
    ['declined', -31630],
    ['debit_failed', -31640],
  ] as const) {
    await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step })
    const reply = await merchant.callRaw('receipts.pay', { id: await newReceipt(merchant), token })
    assert.deepEqual('error' in reply && [reply.error.code, reply.error.reason], [code, step])
  }
})

test('an unverified card cannot pay, and the network is not called', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  const reply = await merchant.callRaw('receipts.pay', { id, token: await merchant.createToken(successPan) })
  assert.deepEqual('error' in reply && [reply.error.code, reply.error.reason], [-31630, 'card_not_verified'])
  assert.deepEqual(await app.store.read(listOperations(await rowOf(app, merchant, id))), [])
})

test('of 200 concurrent payments of one receipt, without a key, one debits', async () => {
  const merchant = app.merchant()
  const tokens = await Promise.all(Array.from({ length: 4 }, () => merchant.createVerifiedToken(successPan)))
  const id = await newReceipt(merchant)
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, at) => merchant.callRaw('receipts.pay', { id, token: tokens[at % 4]! })),
  )
  assert.equal(replies.filter((reply) => 'receipt' in reply).length, 1)
  const reasons = new Set(replies.flatMap((reply) => ('error' in reply ? [reply.error.reason] : [])))
  assert.ok(
    [...reasons].every((reason) => reason === 'receipt_in_progress' || reason === 'receipt_paid'),
    [...reasons].join(),
  )
  const ledger = await ledgerOf(app, await rowOf(app, merchant, id))
  assert.deepEqual(
    ledger.map(({ kind, amountTiyin }) => [kind, amountTiyin]),
    [['authorise', 500_000]],
  )
})

test('a one-time token is used up by its payment or hold, and paying again gets receiptPaid', async () => {
  const merchant = app.merchant()
  for (const hold of [false, true]) {
    const token = await merchant.createVerifiedToken(successPan, { save: false })
    const id = await newReceipt(merchant)
    await merchant.call('receipts.pay', { id, token, hold })
    assert.equal(await merchant.expectError('receipts.pay', { id, token }), 'receipt_paid')
    assert.equal(await merchant.expectError('cards.check', { token }), 'card_deleted')
    assert.equal(await merchant.expectError('receipts.pay', { id: await newReceipt(merchant), token }), 'card_deleted')
    const card = await app.store.read(findCard({ ...merchant, cardId: token.slice(0, 24) }))
    assert.deepEqual([card?.state, card?.blob.length], ['removed', 0])
  }
})

test('a one-time token can be used again after a decline', async () => {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan, { save: false })
  const id = await newReceipt(merchant)
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'declined' })
  assert.equal(await merchant.expectError('receipts.pay', { id, token }), 'declined')
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'none' })
  assert.equal((await merchant.call('receipts.pay', { id, token })).receipt.state, 4)
})

test('of 50 receipts paid concurrently with one one-time token, one is paid', async () => {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan, { save: false })
  const ids = await Promise.all(Array.from({ length: 50 }, () => newReceipt(merchant)))
  const replies = await Promise.all(ids.map((id) => merchant.callRaw('receipts.pay', { id, token })))
  assert.equal(replies.filter((reply) => 'receipt' in reply).length, 1)
  const reasons = new Set(replies.flatMap((reply) => ('error' in reply ? [reply.error.reason] : [])))
  assert.ok(
    [...reasons].every((reason) => reason === 'card_in_use' || reason === 'card_deleted'),
    [...reasons].join(),
  )
  const rows = await Promise.all(ids.map((id) => rowOf(app, merchant, id)))
  const taken = (await Promise.all(rows.map((row) => ledgerOf(app, row)))).flat()
  assert.deepEqual(
    taken.map(({ kind }) => kind),
    ['authorise'],
  )
  assert.deepEqual(
    rows.map(({ state }) => state).sort((a, b) => a - b),
    [...Array.from({ length: 49 }, () => 0), 4],
  )
})

test('during the network call receipt and one-time token are locked; without a response the caller gets payment_unknown', async () => {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan, { save: false })
  const [id, other] = [await newReceipt(merchant), await newReceipt(merchant)]
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'lose_answer' })
  const paying = merchant.callRaw('receipts.pay', { id, token })
  await app.clock.untilSleeping(12_000)
  assert.deepEqual(await merchant.call('receipts.check', { id }), { state: 2 })
  assert.equal(await merchant.expectError('receipts.pay', { id, token }), 'receipt_in_progress')
  assert.equal(await merchant.expectError('receipts.pay', { id: other, token }), 'card_in_use')
  assert.equal(await merchant.expectError('receipts.cancel', { id }), 'receipt_in_progress')
  app.clock.advance(12_000)
  const reply = await paying
  assert.deepEqual('error' in reply && [reply.error.code, reply.error.reason], [-31002, 'payment_unknown'])
  assert.deepEqual(await merchant.call('receipts.check', { id }), { state: 20 })
  assert.equal(await merchant.expectError('receipts.pay', { id: other, token }), 'card_in_use')
})

test('a malformed token is reported before the receipt is read, and an expired receipt cannot be paid', async () => {
  const merchant = app.merchant()
  assert.equal(await merchant.expectError('receipts.pay', { id: '0'.repeat(24), token: 'f00' }), 'token_shape')
  const token = await merchant.createVerifiedToken(successPan)
  const id = await newReceipt(merchant)
  app.clock.advance(12 * 3_600_000)
  assert.equal(await merchant.expectError('receipts.pay', { id, token }), 'receipt_cancelled')
})
