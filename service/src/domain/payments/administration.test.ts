import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { listAuditOfSubject } from '../../store/audit.ts'
import { setScenarioStep } from '../../store/sandbox.ts'
import { advanceAllReceipts, ledgerOf, newReceipt, pass, rowOf, successPan, takenBy } from '../../testing/receipts.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'

import { ReceiptAdministrationError, type ReceiptAdministrationFault } from './administration.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

const app = await createTestApp({ after })

/** A payment in state unknown (20), by a network that either debited the card (`lose_answer`) or never saw the call (`lose_request`). */
async function unknownPayment(step: 'lose_answer' | 'lose_request', at: TestApp = app) {
  const merchant = at.merchant()
  const token = await merchant.createVerifiedToken(successPan, { save: false })
  const id = await newReceipt(merchant)
  await at.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step })
  const reply = await pass(at, merchant.callRaw('receipts.pay', { id, token }))
  assert.equal('error' in reply && reply.error.reason, 'payment_unknown')
  return { merchant, token, id }
}

const statement = { reference: 'RRN-118822', reason: 'the settlement file of the day does not have it' }

async function assertRefused(doing: Promise<unknown>, fault: ReceiptAdministrationFault): Promise<void> {
  await assert.rejects(doing, (err) => err instanceof ReceiptAdministrationError && err.fault === fault)
}

test('a payment missing from the statement is not paid: 20 to 0, audited as the operator’s, and the receipt and its one-time token can be used', async () => {
  const { merchant, token, id } = await unknownPayment('lose_request')
  const { receipt, operations } = await app.receiptAdministration.resolve({ receiptId: id, paidAt: null, ...statement }, operatorActor)
  assert.deepEqual([receipt.state, receipt.flagged, receipt.unknownSince], [0, false, 0])
  const [authorization] = operations
  assert.deepEqual(
    [authorization?.state, authorization?.reason, authorization?.networkRef, authorization?.rawCode],
    ['declined', 'statement', statement.reference, statement.reason],
  )
  const [entry] = await app.store.read(listAuditOfSubject(merchant.merchantId, id, 1))
  assert.deepEqual(
    [entry?.action, entry?.outcome, entry?.actor, entry?.version],
    ['receipt.resolved', 'not_paid', 'operator', receipt.version],
  )
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'none' })
  assert.equal((await merchant.call('receipts.pay', { id, token })).receipt.state, 4)
})

test('a payment in the statement is returned: 20 to 21, then 50, and the network’s ledger agrees', async () => {
  const { merchant, id } = await unknownPayment('lose_answer')
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'none' })
  const resolved = await app.receiptAdministration.resolve({ receiptId: id, paidAt: app.clock.now(), ...statement }, operatorActor)
  assert.equal(resolved.receipt.networkRef, statement.reference)
  await advanceAllReceipts(app)
  const row = await rowOf(app, merchant, id)
  assert.equal(row.state, 50)
  assert.deepEqual(takenBy(await ledgerOf(app, row)), { takenTiyin: 0, heldTiyin: 0 })
  const actions = (await app.store.read(listAuditOfSubject(merchant.merchantId, id, 100))).map(
    ({ action, outcome }) => `${action} ${outcome}`,
  )
  assert.ok(actions.includes('receipt.resolved paid'), actions.join())
})

test('only a payment in state unknown can be resolved, and only by a debit near its own time', async () => {
  const { receiptAdministration } = app
  const merchant = app.merchant()
  const unpaid = await newReceipt(merchant)
  await assertRefused(
    receiptAdministration.resolve({ receiptId: unpaid, paidAt: null, ...statement }, operatorActor),
    'receipt_not_unknown',
  )
  await assertRefused(
    receiptAdministration.resolve({ receiptId: 'f'.repeat(24), paidAt: null, ...statement }, operatorActor),
    'receipt_unknown',
  )
  const { id, merchant: other } = await unknownPayment('lose_request')
  const paidAt = app.clock.now() - 4 * 86_400_000
  await assertRefused(receiptAdministration.resolve({ receiptId: id, paidAt, ...statement }, operatorActor), 'receipt_paid_at_implausible')
  assert.equal((await rowOf(app, other, id)).state, 20)
})

test('of twenty concurrent resolutions of one payment one is stored', async () => {
  const { id, merchant } = await unknownPayment('lose_request')
  const before = (await rowOf(app, merchant, id)).version
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => app.receiptAdministration.resolve({ receiptId: id, paidAt: null, ...statement }, operatorActor)),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await rowOf(app, merchant, id)).version, before + 1)
})

test('operators list open receipts of all merchants page by page, flagged ones, and those of one merchant', async (t) => {
  const own = await createTestApp(t)
  const { list } = own.receiptAdministration
  const everything = { state: 20, isFlagged: false, merchantId: null, after: null, count: 2 } as const
  const ids = []
  for (let n = 0; n < 3; n++) {
    ids.push((await unknownPayment('lose_request', own)).id)
    own.clock.advance(1)
  }
  const first = await list(everything)
  const second = await list({ ...everything, after: first.next })
  assert.deepEqual(
    [...first.receipts, ...second.receipts].map(({ receiptId }) => receiptId),
    ids,
  )
  assert.equal(second.next, null)
  assert.deepEqual((await list({ ...everything, isFlagged: true })).receipts, [])
  const merchant = own.merchant()
  const unpaid = await newReceipt(merchant)
  const { merchantId } = merchant
  const ofMerchant = await list({ ...everything, state: null, merchantId })
  assert.deepEqual(
    ofMerchant.receipts.map(({ receiptId }) => receiptId),
    [unpaid],
  )
  await assertRefused(list({ ...everything, state: 4 }), 'receipt_query_unspecific')
})
