import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { Result } from '@tessera/contract/operations'

import { encodeRow } from '../ops/request-log/request-row.ts'
import { toSegments } from '../ops/request-log/waiting-segment.ts'
import { makeRequest } from '../ops/request-log/request-row.fixture.ts'
import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import type { StoreUnderTest } from '../store/suite/opened.fixture.ts'
import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts'

const never = new AbortController().signal
const phone = '998901234566'
const requestId = '6745a1f0e00000f1e0000001'

type Found = Result<'dashboard.search.find'>

for (const [name, withStore] of [
  ['the embedded store', withSqlite],
  ['PostgreSQL', withPostgres],
] as const) {
  test(
    `receipts, cards, customers, calls and SMS are found by whatever is typed of them, and by nobody else, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const { user, receiptId, cardId, another } = await openShop(app)
      const stranger = await createDashboardClient(app).user('owner')

      // What each of these finds, and what of it it is.
      const rows: readonly (readonly [typed: string, found: Partial<Record<keyof Found, unknown>>])[] = [
        [receiptId, { receipts: [['id', receiptId]] }],
        [receiptId.toUpperCase(), { receipts: [['id', receiptId]] }],
        [receiptId.slice(0, 13), { receipts: [['id', receiptId]] }],
        // The other one was made in the second after it.
        [`${receiptId.slice(0, 8)}…`, { receipts: [['id', receiptId]] }],
        [' Mark-Of-Order ', { receipts: [['order', receiptId]] }],
        ['branch nine', { receipts: [['order', receiptId]] }],
        ["54 174 so'm", { receipts: [['amount', receiptId]] }],
        [cardId, { cards: [cardId] }],
        ['6311', { cards: [cardId] }],
        ['860006******6311', { cards: [cardId] }],
        ['mark-of-customer', { cards: [cardId], customers: ['mark-of-customer'] }],
        [requestId, { requests: [requestId] }],
        ['+998 90 123-45-66', { messages: [['receipt', receiptId, '99890*****66', 'accepted', null]] }],
        ['90 123 45 66', { messages: [['receipt', receiptId, '99890*****66', 'accepted', null]] }],
        ['860050******6311', {}],
        ['54 175', {}],
        ['nowhere', {}],
        ['   ', {}],
        [another.slice(0, 8).replace(/^./, 'e'), {}],
      ]
      for (const [typed, expected] of rows) {
        assert.deepEqual(await find(user, typed), { ...nothing, ...expected }, typed)
        assert.deepEqual(await find(stranger, typed), nothing, `a stranger found ${typed}`)
      }
    }),
  )
}

test('at most five of a kind are found, the newest first, and a search says how much it does not know yet', async () => {
  const app = await createTestApp({ after })
  const user = await createDashboardClient(app).user('read')
  const shop = app.merchant('spec', user.merchantId)
  const ids: string[] = []
  for (let number = 0; number < 7; number++) {
    ids.unshift((await shop.call('receipts.create', { amount: 700_000, account: { order: 'o-1' } })).receipt._id)
    app.clock.advance(1000)
  }
  const early = await user.call('dashboard.search.find', { text: '7000' })
  assert.deepEqual([early.receipts, early.unreadEntries >= 7], [[], true])
  await app.dashboard.receiptSummaries.runOnce(never)
  const { receipts, unreadEntries } = await user.call('dashboard.search.find', { text: '7000' })
  assert.deepEqual(
    receipts.map(({ receipt }) => receipt.receiptId),
    ids.slice(0, 5),
  )
  assert.equal(unreadEntries, 0)
})

const nothing = { receipts: [], cards: [], customers: [], requests: [], messages: [] }

async function find(user: DashboardUser, text: string): Promise<object> {
  const found = await user.call('dashboard.search.find', { text })
  return {
    receipts: found.receipts.map(({ by, receipt }) => [by, receipt.receiptId]),
    cards: found.cards.map((card) => card.cardId),
    customers: found.customers,
    requests: found.requests.map((request) => request.requestId),
    messages: found.messages.map((message) => [message.purpose, message.subject, message.phone, message.outcome, message.failure]),
  }
}

async function openShop(app: TestApp) {
  const user = await createDashboardClient(app).user('support')
  const { bucket, merchantId } = user
  const shop = app.merchant('spec', merchantId)
  const { card } = await shop.call(
    'cards.create',
    { card: { number: '', expire: '0399' }, customer: 'mark-of-customer', save: true },
    successPan,
  )
  const account = { order: 'mark-of-order', branch: 'Branch Nine' }
  const { receipt } = await shop.call('receipts.create', { amount: 5_417_400, account })
  app.clock.advance(1000)
  const { receipt: another } = await shop.call('receipts.create', { amount: 100_000 })
  await shop.callRaw('receipts.send', { id: receipt._id, phone })
  const at = Number.parseInt(requestId.slice(0, 8), 16) * 1000
  await app.requestLog.append(toSegments([encodeRow(makeRequest(1, { bucket, merchantId, requestId, at, cardId: '' }))]))
  await app.dashboard.receiptSummaries.runOnce(never)
  return { user, receiptId: receipt._id, another: another._id, cardId: card.token.slice(0, 24) }
}
