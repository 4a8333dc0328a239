import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import fc from 'fast-check'

import { compose } from './compose.fixture.ts'
import { ledgerOf, newReceipt, pass, rowOf, settleAll, successPan, takenBy, takenIn } from './receipts.fixture.ts'

const house = await compose()
after(() => house.close())

async function held(merchant = house.caller(), sum = 500_000) {
  const id = await newReceipt(merchant, sum)
  await merchant.expect('receipts.pay', { id, token: await merchant.verified(successPan), hold: true })
  return { merchant, id }
}

test('all of a hold is taken, at the time of the confirmation', async () => {
  const { merchant, id } = await held()
  house.clock.advance(1000)
  const { receipt } = await merchant.expect('receipts.confirm_hold', { id })
  assert.deepEqual([receipt.state, receipt.amount, receipt.pay_time], [4, 500_000, house.clock.now()])
  assert.deepEqual(takenBy(await ledgerOf(house, await rowOf(house, merchant, id))), { takenTiyin: 500_000, heldTiyin: 0 })
  assert.equal(await merchant.refused('receipts.confirm_hold', { id }), 'receipt_not_held')
})

test('whatever part is asked for, never more than the hold is taken, never a fraction, and what was taken is what goes back', async () => {
  const merchant = house.caller()
  const token = await merchant.verified(successPan)
  const sums = fc.record({
    heldTiyin: fc.integer({ min: 1, max: 1_000_000 }),
    asked: fc.oneof(fc.integer({ min: -5, max: 2_000_000 }), fc.double()),
  })
  const property = fc.asyncProperty(sums, fc.boolean(), async ({ heldTiyin, asked }, isCancelled) => {
    const id = await newReceipt(merchant, heldTiyin)
    await merchant.expect('receipts.pay', { id, token, hold: true })
    const reply = await merchant.call('receipts.confirm_hold', { id, amount: asked })
    const isSum = Number.isInteger(asked) && asked > 0
    const expected = !isSum || asked > 1e13 ? 'amount_invalid' : asked > heldTiyin ? 'amount_above_hold' : asked
    assert.equal('error' in reply ? reply.error.reason : reply.receipt.amount, expected)
    const row = await rowOf(house, merchant, id)
    assert.deepEqual(takenBy(await ledgerOf(house, row)), takenIn(row))
    if (!isCancelled) return
    await merchant.expect('receipts.cancel', { id })
    await house.settle.runOnce()
    const after50 = await rowOf(house, merchant, id)
    assert.equal(after50.state, 50)
    const ledger = await ledgerOf(house, after50)
    assert.deepEqual(takenBy(ledger), { takenTiyin: 0, heldTiyin: 0 })
    assert.ok(ledger.every((movement) => Number.isInteger(movement.amountTiyin) && movement.amountTiyin <= heldTiyin))
  })
  await fc.assert(property, { numRuns: 60 })
})

test('of many confirmations at once one takes the money', async () => {
  const { merchant, id } = await held()
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, at) => merchant.call('receipts.confirm_hold', { id, amount: 1000 + at })),
  )
  const taken = replies.flatMap((reply) => ('receipt' in reply ? [reply.receipt.amount] : []))
  assert.equal(taken.length, 1)
  const row = await rowOf(house, merchant, id)
  assert.deepEqual(takenBy(await ledgerOf(house, row)), { takenTiyin: taken[0], heldTiyin: 0 })
})

test('a confirmation whose answer is lost is settled as taken, and is in progress until then', async () => {
  const { merchant, id } = await held()
  await house.store.setScenarioStep(merchant.merchantId, 'network', 'lose_answer')
  const reply = await pass(house, merchant.call('receipts.confirm_hold', { id, amount: 300 }))
  assert.deepEqual('error' in reply && [reply.error.code, reply.error.reason], [-31002, 'payment_unknown'])
  assert.equal(await merchant.refused('receipts.confirm_hold', { id }), 'receipt_in_progress')
  assert.equal(await merchant.refused('receipts.cancel', { id }), 'receipt_in_progress')
  await settleAll(house)
  const { receipt } = await merchant.expect('receipts.get', { id })
  assert.deepEqual([receipt.state, receipt.amount], [4, 300])
})

test('a confirmation that the network refuses leaves the money held, to be confirmed again', async () => {
  let refusals = 1
  const odd = await compose({
    network: (sandbox) => ({
      ...sandbox,
      async capture(ask, signal) {
        return refusals-- > 0 ? { kind: 'declined', reason: 'debitFailed', rawCode: '05' } : sandbox.capture(ask, signal)
      },
    }),
  })
  try {
    const merchant = odd.caller()
    const id = await newReceipt(merchant)
    await merchant.expect('receipts.pay', { id, token: await merchant.verified(successPan), hold: true })
    const reply = await merchant.call('receipts.confirm_hold', { id })
    assert.deepEqual('error' in reply && [reply.error.code, reply.error.reason], [-31640, 'debit_failed'])
    const operations = await odd.store.listOperations(await rowOf(odd, merchant, id))
    assert.deepEqual(operations.map(({ kind, state, rawCode }) => [kind, state, rawCode]).sort(), [
      ['capture', 'declined', '05'],
      ['hold', 'approved', ''],
    ])
    assert.equal((await merchant.expect('receipts.confirm_hold', { id })).receipt.state, 4)
  } finally {
    await odd.close()
  }
})

test('a hold lapses after seven days, and the money goes back', async () => {
  const { merchant, id } = await held()
  house.clock.advance(7 * 86_400_000 - 1)
  await house.settle.runOnce()
  assert.deepEqual(await merchant.expect('receipts.check', { id }), { state: 5 })
  house.clock.advance(1)
  assert.equal(await merchant.refused('receipts.confirm_hold', { id }), 'receipt_not_held')
  await house.settle.runOnce()
  const { receipt } = await merchant.expect('receipts.get', { id })
  assert.deepEqual([receipt.state, receipt.meta.source_cancel], [50, undefined])
  assert.deepEqual(takenBy(await ledgerOf(house, await rowOf(house, merchant, id))), { takenTiyin: 0, heldTiyin: 0 })
})

test('what is not held is not confirmed', async () => {
  const merchant = house.caller()
  const id = await newReceipt(merchant)
  assert.equal(await merchant.refused('receipts.confirm_hold', { id }), 'receipt_not_held')
  await merchant.expect('receipts.cancel', { id })
  assert.equal(await merchant.refused('receipts.confirm_hold', { id }), 'receipt_not_held')
})
