import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)
const signal = new AbortController().signal

test('the checklist advances by the merchant’s own calls, not by calls made in the dashboard', async () => {
  const user = await entrance.user('developer')
  const shop = app.merchant('spec', user.merchantId)
  const checklist = async () => {
    await app.counters.runOnce(signal)
    return (await user.call('dashboard.start.get', {})).checklist
  }
  assert.equal((await user.call('dashboard.start.makeToken', { lastFour: '6478' })).verified, true)
  assert.deepEqual(await checklist(), { created: false, verified: false, paid: false, webhook: false })
  const token = await shop.createVerifiedToken('8600069195406311')
  assert.deepEqual(await checklist(), { created: true, verified: true, paid: false, webhook: false })
  const { receipt } = await shop.call('receipts.create', { amount: 500, account: {} })
  await shop.call('receipts.pay', { id: receipt._id, token })
  assert.deepEqual(await checklist(), { created: true, verified: true, paid: true, webhook: false })
})

test('a test token is created step by step until one is refused, is listed with the cards, and is never shown', async () => {
  const user = await entrance.user('developer')
  const made = await user.call('dashboard.start.makeToken', { lastFour: '6311' })
  assert.deepEqual(
    made.steps.map(({ method, refused }) => [method, refused]),
    [
      ['cards.create', null],
      ['cards.get_verify_code', null],
      ['cards.verify', null],
    ],
  )
  assert.doesNotMatch(JSON.stringify(made), /[0-9a-f]{24}_|8600069195406311/)
  const { card, timeline } = await user.call('dashboard.cards.get', { cardId: made.cardId ?? '' })
  assert.deepEqual([card.verified, card.recurrent, timeline.at(-1)?.actor], [true, false, 'user'])
  const blocked = await user.call('dashboard.start.makeToken', { lastFour: '9073' })
  assert.equal(blocked.verified, false)
  assert.deepEqual(
    blocked.steps.map(({ refused }) => refused?.reason ?? null),
    [null, 'card_blocked'],
  )
  assert.equal(await user.expectError('dashboard.start.makeToken', { lastFour: '0000' }), 'member_invalid')
})

test('the public password of the demo merchant is shown only to its users', async () => {
  const demo = app.startPage.details.testing?.demo ?? assert.fail()
  const own = await (await entrance.user('read', demo.merchantId)).call('dashboard.start.get', {})
  assert.deepEqual([own.demoPassword, own.testCards.length], [demo.password, 7])
  assert.equal((await (await entrance.user('owner')).call('dashboard.start.get', {})).demoPassword, null)
})

test('production has no test cards, no test tokens and no inbox', async (t) => {
  const live = await createTestApp(t, { environment: 'production' })
  const owner = await createDashboardClient(live).user('owner')
  const { testCards, demoPassword } = await owner.call('dashboard.start.get', {})
  assert.deepEqual([testCards, demoPassword], [[], null])
  assert.equal(await owner.expectError('dashboard.start.makeToken', { lastFour: '6311' }), 'test_only')
  assert.equal(await owner.expectError('dashboard.verification.inbox', {}), 'test_only')
})
