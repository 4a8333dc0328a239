import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import type { StoreUnderTest } from '../store/suite/opened.fixture.ts'
import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'

const never = new AbortController().signal

for (const [name, withStore] of [
  ['the embedded store', withSqlite],
  ['PostgreSQL', withPostgres],
] as const) {
  test(
    `each customer is listed once, the one with the newest card first, page by page, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const user = await createDashboardClient(app).user('read')
      const shop = app.merchant('spec', user.merchantId)
      for (const customer of ['one', 'two', 'one', '', null, 'three', 'two']) {
        await createCard(shop, customer)
        app.clock.advance(1000)
      }
      const whole = await user.call('dashboard.customers.list', {})
      assert.deepEqual(
        whole.customers.map(({ customer, cards }) => [customer, cards]),
        [
          ['two', 2],
          ['three', 1],
          ['one', 2],
        ],
      )
      assert.equal(whole.next, null)
      const first = await user.call('dashboard.customers.list', { count: 1 })
      const second = await user.call('dashboard.customers.list', { count: 1, after: first.next })
      const rest = await user.call('dashboard.customers.list', { count: 5, after: second.next })
      assert.deepEqual([...first.customers, ...second.customers, ...rest.customers], whole.customers)
      assert.equal(rest.next, null)
      const stranger = await createDashboardClient(app).user('owner')
      assert.deepEqual((await stranger.call('dashboard.customers.list', {})).customers, [])
    }),
  )

  test(
    `a customer has the cards with their consents and the sums of the payments, also one whose id looks like something else, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const user = await createDashboardClient(app).user('support')
      const shop = app.merchant('spec', user.merchantId)
      const token = await createCard(shop, '6311')
      await createCard(shop, 'somebody else')
      await shop.callRaw('cards.get_verify_code', { token })
      await shop.call('cards.verify', { token, code: '666666' })
      const ids: string[] = []
      for (const amount of [100_000, 250_000]) {
        const { receipt } = await shop.call('receipts.create', { amount })
        ids.push(receipt._id)
        await shop.call('receipts.pay', { id: receipt._id, token })
      }
      await shop.call('receipts.cancel', { id: ids[1] ?? '' })
      await app.receiptWorker.runOnce()
      await app.dashboard.receiptSummaries.runOnce(never)

      const { cards, hasMoreCards, payments } = await user.call('dashboard.customers.get', { customer: '6311' })
      assert.deepEqual(
        cards.map(({ cardId, customer }) => [cardId, customer]),
        [[token.slice(0, 24), '6311']],
      )
      assert.match(cards[0]?.consent ?? '', /asserted/)
      assert.equal(hasMoreCards, false)
      assert.deepEqual(payments, { count: 2, paid: 2, capturedTiyin: 350_000, refundedTiyin: 250_000, isComplete: true })
      assert.equal((await user.call('dashboard.cards.list', { customer: '6311' })).cards.length, 1)
      const { cards: ofNobody } = await user.call('dashboard.customers.get', { customer: 'nobody' })
      assert.deepEqual(ofNobody, [])
      const stranger = await createDashboardClient(app).user('owner')
      const foreign = await stranger.call('dashboard.customers.get', { customer: '6311' })
      assert.deepEqual([foreign.cards, foreign.payments.count], [[], 0])
    }),
  )
}

async function createCard(shop: TestMerchant, customer: string | null): Promise<string> {
  const params = { card: { number: '', expire: '0399' }, save: true, ...(customer === null ? {} : { customer }) }
  return (await shop.call('cards.create', params, successPan)).card.token
}
