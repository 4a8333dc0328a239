import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { Params } from '@tessera/contract/operations'
import { receiptStatuses } from '@tessera/contract/receipt-status'

import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import { claimSummaries, storeReceiptSummaries } from '../store/receipt-summaries.ts'
import type { StoreUnderTest } from '../store/suite/opened.fixture.ts'
import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { replaceInStore, replaceWrite } from '../testing/store.fixture.ts'
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'

const blockedPan = '4444445987459073'
const never = new AbortController().signal

for (const [name, withStore] of [
  ['the embedded store', withSqlite],
  ['PostgreSQL', withPostgres],
] as const) {
  test(
    `receipts are found by status, card, customer, order, reason and amount, alone and together, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const { shop, user } = await openShop(app)
      const made = await makeReceipts(app, shop)
      assert.ok((await app.dashboard.receiptSummaries.runOnce(never)) >= 6)

      assert.deepEqual(await find(user, { status: 'paid' }), [made.paid])
      assert.deepEqual(await find(user, { status: 'failed' }), [made.declined])
      assert.deepEqual(await find(user, { status: 'captured' }), [made.captured])
      assert.deepEqual(await find(user, { status: 'refunded' }), [made.refunded])
      assert.deepEqual(await find(user, { status: 'open' }), [made.open])
      assert.deepEqual(await find(user, { status: 'cancelled' }), [made.cancelled])
      for (const status of receiptStatuses) {
        const { receipts } = await user.call('dashboard.receipts.list', { status })
        assert.ok(
          receipts.every((receipt) => receipt.status === status),
          status,
        )
      }
      assert.deepEqual(await find(user, { order: ' O-PAID ' }), [made.paid])
      assert.deepEqual(await find(user, { order: 'nowhere' }), [])
      assert.deepEqual(await find(user, { reason: 'card_blocked' }), [made.declined])
      assert.deepEqual(await find(user, { cardId: made.cardId, status: 'refunded' }), [made.refunded])
      assert.deepEqual((await find(user, { cardId: made.cardId })).toSorted(), [made.paid, made.captured, made.refunded].toSorted())
      assert.deepEqual(await find(user, { amountFrom: 200_000, amountTo: 200_000 }), [made.paid])
      assert.deepEqual((await find(user, { amountFrom: 150_000 })).toSorted(), [made.paid, made.open].toSorted())
      assert.deepEqual(await find(user, { amountFrom: 150_000, status: 'open', order: 'o-open' }), [made.open])
      assert.deepEqual(await find(user, { amountTo: 150_000, status: 'open', order: 'o-open' }), [])

      const stranger = await openShop(app)
      assert.deepEqual(await find(stranger.user, { order: 'o-paid' }), [])
      assert.deepEqual(await find(stranger.user, { cardId: made.cardId }), [])
    }),
  )

  test(
    `a search says how much it does not know yet, shows each receipt as it is now, and continues page by page, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const { shop, user } = await openShop(app)
      const ids: string[] = []
      for (let number = 0; number < 5; number++) {
        ids.unshift((await shop.call('receipts.create', { amount: 100_000, account: { order: `o-${number}` } })).receipt._id)
        app.clock.advance(1000)
      }
      const before = await user.call('dashboard.receipts.list', { status: 'open' })
      assert.deepEqual(before.receipts, [])
      assert.ok(before.unreadEntries >= 5)
      assert.equal((await user.call('dashboard.receipts.list', {})).receipts.length, 5)

      await app.dashboard.receiptSummaries.runOnce(never)
      const first = await user.call('dashboard.receipts.list', { status: 'open', count: 2 })
      const rest = await user.call('dashboard.receipts.list', { status: 'open', count: 3, after: first.next })
      assert.deepEqual(
        [...first.receipts, ...rest.receipts].map(({ receiptId }) => receiptId),
        ids,
      )
      assert.deepEqual([rest.next, rest.unreadEntries], [null, 0])

      // Cancelled, and not summed up again: it is open no more, and not yet found as cancelled.
      await shop.call('receipts.cancel', { id: ids[0] ?? '' })
      assert.equal((await find(user, { status: 'open' })).includes(ids[0] ?? ''), false)
      assert.deepEqual(await find(user, { status: 'cancelled' }), [])
      await app.dashboard.receiptSummaries.runOnce(never)
      assert.deepEqual(await find(user, { status: 'cancelled' }), ids.slice(0, 1))
    }),
  )

  test(
    `a receipt that was paid since its refusal was summed up is not found by the reason of the refusal, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const { shop, user } = await openShop(app)
      const { declined, good } = await makeReceipts(app, shop)
      await app.dashboard.receiptSummaries.runOnce(never)
      assert.deepEqual(await find(user, { reason: 'card_blocked' }), [declined])
      await shop.call('receipts.pay', { id: declined, token: good })
      assert.deepEqual(await find(user, { reason: 'card_blocked' }), [])
    }),
  )

  test(
    `a run stores a position once for hundreds of entries that change no receipt, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const writes: string[] = []
      const counted = replaceInStore(
        store,
        replaceWrite(claimSummaries, (_input, original) => (writes.push('lease'), original())),
        replaceWrite(storeReceiptSummaries, (_input, original) => (writes.push('positions'), original())),
      )
      const app = await createTestApp({ after }, { store: counted })
      const { shop } = await openShop(app)
      for (let number = 0; number < 600; number++) await shop.createToken(successPan)
      writes.length = 0
      assert.equal(await app.dashboard.receiptSummaries.runOnce(never), 0)
      assert.deepEqual(writes, ['lease', 'positions'])
      await app.dashboard.receiptSummaries.runOnce(never)
      assert.equal(writes.length, 2, 'nothing new: nothing is written')
    }),
  )

  test(
    `summaries are made again from the audit when they are lost, by several processes at once, and a changed row is found by none, on ${name}`,
    withStore(async ({ store, raw }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const { shop, user } = await openShop(app)
      const made = await makeReceipts(app, shop)
      await app.dashboard.receiptSummaries.runOnce(never)
      const everything = await findAll(user)
      await raw('delete from receipt_summaries')
      await raw('delete from receipt_orders')
      await raw('delete from summary_positions')
      assert.deepEqual(await find(user, { status: 'paid' }), [])
      // Another process has the lease of the first one until it ends.
      const other = await createTestApp({ after }, { store, continues: app })
      assert.equal(await other.dashboard.receiptSummaries.runOnce(never), 0)
      app.clock.advance(11_000)
      await Promise.all([other, app].map(({ dashboard }) => dashboard.receiptSummaries.runOnce(never)))
      assert.deepEqual(await findAll(user), everything)

      await raw(`update receipts set amount_tiyin = 1 where receipt_id = '${made.paid}'`)
      const [tampered] = (await user.call('dashboard.receipts.list', { order: 'o-paid' })).receipts
      assert.deepEqual([tampered?.receiptId, tampered?.status, tampered?.amountTiyin], [made.paid, null, 0])
    }),
  )
}

async function openShop(app: TestApp) {
  const user = await createDashboardClient(app).user('support')
  return { user, shop: app.merchant('spec', user.merchantId) }
}

/** One receipt of each kind that the API can make at once. */
async function makeReceipts(app: TestApp, shop: TestMerchant) {
  const [good, blocked] = [
    await shop.createVerifiedToken(successPan, { save: true }),
    await shop.createVerifiedToken(blockedPan, { save: true }),
  ]
  const create = async (name: string, amount: number): Promise<string> => {
    app.clock.advance(1000)
    return (await shop.call('receipts.create', { amount, account: { order: `o-${name}` } })).receipt._id
  }
  const [open, paid] = [await create('Open', 300_000), await create('Paid', 200_000)]
  const [declined, captured] = [await create('Declined', 100_000), await create('Captured', 100_000)]
  const [refunded, cancelled] = [await create('Refunded', 100_000), await create('Cancelled', 100_000)]
  await shop.call('receipts.pay', { id: paid, token: good })
  await shop.expectError('receipts.pay', { id: declined, token: blocked })
  await shop.call('receipts.pay', { id: captured, token: good, hold: true })
  await shop.call('receipts.confirm_hold', { id: captured })
  await shop.call('receipts.pay', { id: refunded, token: good })
  await shop.call('receipts.cancel', { id: refunded })
  await shop.call('receipts.cancel', { id: cancelled })
  await app.receiptWorker.runOnce()
  return { open, paid, declined, captured, refunded, cancelled, good, cardId: good.slice(0, 24) }
}

async function find(user: DashboardUser, filter: Params<'dashboard.receipts.list'>): Promise<string[]> {
  const { receipts } = await user.call('dashboard.receipts.list', filter)
  return receipts.map(({ receiptId }) => receiptId)
}

async function findAll(user: DashboardUser): Promise<string[][]> {
  return Promise.all(receiptStatuses.map((status) => find(user, { status })))
}
