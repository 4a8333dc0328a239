import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import fc from 'fast-check'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { ledgerOf, newReceipt, pass, rowOf, advanceAllReceipts, successPan, takenBy, takenIn } from '../testing/receipts.fixture.ts'
import { listOperations } from '../store/operations.ts'
import { setScenarioStep } from '../store/sandbox.ts'

const app = await createTestApp({ after })

async function held(merchant = app.merchant(), sum = 500_000) {
  const id = await newReceipt(merchant, sum)
  await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan), hold: true })
  return { merchant, id }
}

test('a full capture debits the whole hold, at the time of the capture', async () => {
  const { merchant, id } = await held()
  app.clock.advance(1000)
  const { receipt } = await merchant.call('receipts.confirm_hold', { id })
  assert.deepEqual([receipt.state, receipt.amount, receipt.pay_time], [4, 500_000, app.clock.now()])
  assert.deepEqual(takenBy(await ledgerOf(app, await rowOf(app, merchant, id))), { takenTiyin: 500_000, heldTiyin: 0 })
  assert.equal(await merchant.expectError('receipts.confirm_hold', { id }), 'receipt_not_held')
})

test('a partial capture never exceeds the hold and is never a fraction, and a refund returns exactly the captured amount', async () => {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  const amounts = fc.record({
    heldTiyin: fc.integer({ min: 1, max: 1_000_000 }),
    capturedTiyin: fc.oneof(fc.integer({ min: -5, max: 2_000_000 }), fc.double()),
  })
  const property = fc.asyncProperty(amounts, fc.boolean(), async ({ heldTiyin, capturedTiyin }, isCancelled) => {
    const id = await newReceipt(merchant, heldTiyin)
    await merchant.call('receipts.pay', { id, token, hold: true })
    const reply = await merchant.callRaw('receipts.confirm_hold', { id, amount: capturedTiyin })
    const isAmount = Number.isInteger(capturedTiyin) && capturedTiyin > 0
    const expected = !isAmount || capturedTiyin > 1e13 ? 'amount_invalid' : capturedTiyin > heldTiyin ? 'amount_above_hold' : capturedTiyin
    assert.equal('error' in reply ? reply.error.reason : reply.receipt.amount, expected)
    const row = await rowOf(app, merchant, id)
    assert.deepEqual(takenBy(await ledgerOf(app, row)), takenIn(row))
    if (!isCancelled) return
    await merchant.call('receipts.cancel', { id })
    await app.receiptWorker.runOnce()
    const after50 = await rowOf(app, merchant, id)
    assert.equal(after50.state, 50)
    const ledger = await ledgerOf(app, after50)
    assert.deepEqual(takenBy(ledger), { takenTiyin: 0, heldTiyin: 0 })
    assert.ok(ledger.every((movement) => Number.isInteger(movement.amountTiyin) && movement.amountTiyin <= heldTiyin))
  })
  await fc.assert(property, { numRuns: 60 })
})

test('of many concurrent captures one debits', async () => {
  const { merchant, id } = await held()
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, at) => merchant.callRaw('receipts.confirm_hold', { id, amount: 1000 + at })),
  )
  const taken = replies.flatMap((reply) => ('receipt' in reply ? [reply.receipt.amount] : []))
  assert.equal(taken.length, 1)
  const row = await rowOf(app, merchant, id)
  assert.deepEqual(takenBy(await ledgerOf(app, row)), { takenTiyin: taken[0], heldTiyin: 0 })
})

test('a capture whose response is lost is in progress until it is reconciled as captured', async () => {
  const { merchant, id } = await held()
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'lose_answer' })
  const reply = await pass(app, merchant.callRaw('receipts.confirm_hold', { id, amount: 300 }))
  assert.deepEqual('error' in reply && [reply.error.code, reply.error.reason], [-31002, 'payment_unknown'])
  assert.equal(await merchant.expectError('receipts.confirm_hold', { id }), 'receipt_in_progress')
  assert.equal(await merchant.expectError('receipts.cancel', { id }), 'receipt_in_progress')
  await advanceAllReceipts(app)
  const { receipt } = await merchant.call('receipts.get', { id })
  assert.deepEqual([receipt.state, receipt.amount], [4, 300])
})

test('a capture that the network declines leaves the amount held, and can be repeated', async (t) => {
  let refusals = 1
  const odd = await createTestApp(t, {
    network: (sandbox) => ({
      ...sandbox,
      async capture(ask, signal) {
        return refusals-- > 0 ? { kind: 'declined', reason: 'debitFailed', rawCode: '05' } : sandbox.capture(ask, signal)
      },
    }),
  })
  const merchant = odd.merchant()
  const id = await newReceipt(merchant)
  await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan), hold: true })
  const reply = await merchant.callRaw('receipts.confirm_hold', { id })
  assert.deepEqual('error' in reply && [reply.error.code, reply.error.reason], [-31640, 'debit_failed'])
  const operations = await odd.store.read(listOperations(await rowOf(odd, merchant, id)))
  assert.deepEqual(operations.map(({ kind, state, rawCode }) => [kind, state, rawCode]).sort(), [
    ['capture', 'declined', '05'],
    ['hold', 'approved', ''],
  ])
  assert.equal((await merchant.call('receipts.confirm_hold', { id })).receipt.state, 4)
})

test('a hold expires after seven days and is released', async () => {
  const { merchant, id } = await held()
  app.clock.advance(7 * 86_400_000 - 1)
  await app.receiptWorker.runOnce()
  assert.deepEqual(await merchant.call('receipts.check', { id }), { state: 5 })
  app.clock.advance(1)
  assert.equal(await merchant.expectError('receipts.confirm_hold', { id }), 'receipt_not_held')
  await app.receiptWorker.runOnce()
  const { receipt } = await merchant.call('receipts.get', { id })
  assert.deepEqual([receipt.state, receipt.meta.source_cancel], [50, undefined])
  assert.deepEqual(takenBy(await ledgerOf(app, await rowOf(app, merchant, id))), { takenTiyin: 0, heldTiyin: 0 })
})

test('only a held receipt can be captured', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  assert.equal(await merchant.expectError('receipts.confirm_hold', { id }), 'receipt_not_held')
  await merchant.call('receipts.cancel', { id })
  assert.equal(await merchant.expectError('receipts.confirm_hold', { id }), 'receipt_not_held')
})
