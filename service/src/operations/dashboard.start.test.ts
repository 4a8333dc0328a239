import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)
const signal = new AbortController().signal

test('the checklist advances by the merchant’s own calls, and says what was only tried in the dashboard', async () => {
  const user = await entrance.user('developer')
  const shop = app.merchant('spec', user.merchantId)
  const checklist = async () => {
    await app.counters.runOnce(signal)
    return (await user.call('dashboard.start.get', {})).checklist
  }
  const open = { created: 'open', verified: 'open', paid: 'open', webhook: 'open' }
  assert.deepEqual(await checklist(), open)
  assert.equal((await user.call('dashboard.start.makePayment', { lastFour: '6478' })).paid, true)
  assert.deepEqual(await checklist(), { created: 'tried', verified: 'tried', paid: 'tried', webhook: 'open' })
  const token = await shop.createVerifiedToken('8600069195406311')
  assert.deepEqual(await checklist(), { created: 'done', verified: 'done', paid: 'tried', webhook: 'open' })
  const { receipt } = await shop.call('receipts.create', { amount: 500, account: {} })
  await shop.call('receipts.pay', { id: receipt._id, token })
  assert.deepEqual(await checklist(), { created: 'done', verified: 'done', paid: 'done', webhook: 'open' })
})

test('a test payment is made step by step until one is refused, and its token is returned once', async () => {
  const user = await entrance.user('developer')
  const made = await user.call('dashboard.start.makePayment', { lastFour: '6311' })
  assert.deepEqual(
    made.steps.map(({ method, refused }) => [method, refused]),
    ['cards.create', 'cards.get_verify_code', 'cards.verify', 'receipts.create', 'receipts.pay'].map((method) => [method, null]),
  )
  const shop = app.merchant('spec', user.merchantId)
  const { card } = await shop.call('cards.check', { token: made.token ?? '' })
  assert.deepEqual([card.verify, made.cardId], [true, (made.token ?? '').slice(0, 24)])
  assert.doesNotMatch(JSON.stringify(made), /8600069195406311/)
  const { receipt } = await user.call('dashboard.receipts.get', { receiptId: made.receiptId ?? '' })
  assert.deepEqual([receipt.status, receipt.cardId, receipt.amountTiyin], ['paid', made.cardId, 500_000])
  const blocked = await user.call('dashboard.start.makePayment', { lastFour: '9073' })
  assert.deepEqual([blocked.token, blocked.paid], [null, false])
  assert.deepEqual(
    blocked.steps.map(({ refused }) => refused?.reason ?? null),
    [null, 'card_blocked'],
  )
  assert.equal(await user.expectError('dashboard.start.makePayment', { lastFour: '0000' }), 'member_invalid')
})

test('a test payment and the examples have the account fields and the amount that the merchant requires', async () => {
  const user = await entrance.user('owner')
  const title = { en: 'Booking', ru: 'Бронь', uz: 'Bron' }
  const accountFields = [
    { name: 'booking', title, required: true, kind: 'reference' as const },
    { name: 'note', title, required: false, kind: 'text' as const },
  ]
  await user.call('dashboard.settings.change', { accountFields, minAmountTiyin: 700_000 })
  assert.deepEqual((await user.call('dashboard.start.get', {})).example, { amountTiyin: 700_000, account: { booking: 'test-1' } })
  const made = await user.call('dashboard.start.makePayment', { lastFour: '6311' })
  assert.equal(made.paid, true)
  const { receipt } = await user.call('dashboard.receipts.get', { receiptId: made.receiptId ?? '' })
  assert.deepEqual([receipt.order, receipt.amountTiyin], ['test-1', 700_000])
})

test('the public password of the demo merchant is shown only to its users', async () => {
  const demo = app.startPage.details.testing?.demo ?? assert.fail()
  const own = await (await entrance.user('read', demo.merchantId)).call('dashboard.start.get', {})
  assert.deepEqual([own.demoPassword, own.testCards.length], [demo.password, 7])
  assert.equal((await (await entrance.user('owner')).call('dashboard.start.get', {})).demoPassword, null)
})

test('production has no test cards, no test payments and no inbox', async (t) => {
  const live = await createTestApp(t, { environment: 'production' })
  const owner = await createDashboardClient(live).user('owner')
  const { testCards, demoPassword } = await owner.call('dashboard.start.get', {})
  assert.deepEqual([testCards, demoPassword], [[], null])
  assert.equal(await owner.expectError('dashboard.start.makePayment', { lastFour: '6311' }), 'test_only')
  assert.equal(await owner.expectError('dashboard.verification.inbox', {}), 'test_only')
})
