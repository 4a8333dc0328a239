import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { addDays, tashkentDay, toTimeRange } from '@tessera/contract/calendar-day'
import type { Params, Result } from '@tessera/contract/operations'

import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import type { StoreUnderTest } from '../store/suite/opened.fixture.ts'
import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { setScenarioStep } from '../store/sandbox.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

const never = new AbortController().signal
const dayMs = 24 * 3_600_000

for (const [name, withStore] of [
  ['the embedded store', withSqlite],
  ['PostgreSQL', withPostgres],
] as const) {
  test(
    `the totals of days, the overview and the file of the payments of the same days are equal, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const entrance = createDashboardClient(app)
      const { merchantId } = await entrance.user('support')
      const shop = app.merchant('spec', merchantId)
      const token = await shop.createVerifiedToken(successPan, { save: true })
      const pay = async (amount: number, hold = false): Promise<string> => {
        const { receipt } = await shop.call('receipts.create', { amount, account: { order: `o-${amount}` } })
        await shop.call('receipts.pay', { id: receipt._id, token, hold })
        return receipt._id
      }
      const settle = async (): Promise<void> => {
        await app.receiptWorker.runOnce()
        await app.dashboard.receiptSummaries.runOnce(never)
      }
      const first = tashkentDay(app.clock.now())
      const early = await pay(100_001)
      await pay(50_000)
      const held = await pay(30_000, true)
      await shop.call('receipts.create', { amount: 9_999 })
      await settle()
      app.clock.advance(dayMs)
      const second = addDays(first, 1)
      await shop.call('receipts.confirm_hold', { id: held, amount: 20_000 })
      await shop.call('receipts.cancel', { id: early })
      await pay(7_000)
      await pay(1_000, true)
      const user = await entrance.user('read', merchantId)
      await settle()

      const { days, total, unreadEntries } = await user.call('dashboard.receipts.totals', { from: addDays(first, -1), to: second })
      assert.equal(unreadEntries, 0)
      const nothing = { paid: 0, paidTiyin: 0, refunded: 0, refundedTiyin: 0, feeTiyin: 0, netTiyin: 0, pending: 0, pendingTiyin: 0 }
      assert.deepEqual(days, [
        { day: addDays(first, -1), ...nothing },
        { day: first, ...nothing, paid: 2, paidTiyin: 150_001, netTiyin: 150_001 },
        {
          day: second,
          paid: 2,
          paidTiyin: 27_000,
          refunded: 1,
          refundedTiyin: 100_001,
          feeTiyin: 0,
          netTiyin: -73_001,
          pending: 1,
          pendingTiyin: 1_000,
        },
      ])
      assert.deepEqual(total, {
        ...nothing,
        paid: 4,
        paidTiyin: 177_001,
        refunded: 1,
        refundedTiyin: 100_001,
        netTiyin: 77_000,
        pending: 1,
        pendingTiyin: 1_000,
      })

      const overview = (await user.call('dashboard.overview.get', { from: first, to: second })).total
      assert.deepEqual(
        [overview.paid, overview.paidTiyin, overview.refunded, overview.refundedTiyin],
        [total.paid, total.paidTiyin, total.refunded, total.refundedTiyin],
      )
      const rows = await exportAll(user, { ...toTimeRange({ from: first, to: second }), dateOf: 'paid' })
      assert.equal(rows.length, total.paid)
      const sum = (read: (row: ExportRow) => number): number => rows.reduce((all, row) => all + read(row), 0)
      assert.equal(
        sum(({ capturedTiyin }) => capturedTiyin),
        total.paidTiyin,
      )
      assert.equal(
        sum(({ refundedTiyin }) => refundedTiyin),
        total.refundedTiyin,
      )
      const onFirst = await exportAll(user, { ...toTimeRange({ from: first, to: first }), dateOf: 'paid' })
      assert.deepEqual(onFirst.map(({ capturedTiyin }) => capturedTiyin).toSorted(), [100_001, 50_000])
      // What was returned on some days is the file of those days of refund, whenever it was paid.
      const returned = await exportAll(user, { ...toTimeRange({ from: second, to: second }), dateOf: 'refunded' })
      assert.deepEqual(
        returned.map(({ receiptId, refundedTiyin }) => [receiptId, refundedTiyin]),
        [[early, days[2]?.refundedTiyin]],
      )
      assert.deepEqual(await exportAll(user, { ...toTimeRange({ from: first, to: first }), dateOf: 'refunded' }), [])
      // The hold was made on the first day and debited on the second.
      const captured = rows.find(({ receiptId }) => receiptId === held)
      assert.deepEqual([captured?.amountTiyin, captured?.capturedTiyin, tashkentDay(captured?.capturedAt ?? 0)], [30_000, 20_000, second])
      assert.deepEqual(captured?.account, [{ name: 'order', title: 'order', value: 'o-30000' }])
    }),
  )

  test(
    `a file by the day of payment or of refund sums up to the totals of the days, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const user = await createDashboardClient(app).user('support')
      const shop = app.merchant('spec', user.merchantId)
      const token = await shop.createVerifiedToken(successPan, { save: true })
      const first = tashkentDay(app.clock.now())
      for (let number = 0; number < 5; number++) {
        const { receipt } = await shop.call('receipts.create', { amount: 10_001 + number, account: {} })
        await shop.call('receipts.pay', { id: receipt._id, token, hold: number > 2 })
        if (number > 2) await shop.call('receipts.confirm_hold', { id: receipt._id, amount: 5_000 + number })
        if (number % 2 === 0) await shop.call('receipts.cancel', { id: receipt._id })
      }
      // Being refunded when the day ends: a hold of 10,006 of which 4,000 were captured.
      const { receipt } = await shop.call('receipts.create', { amount: 10_006 })
      await app.receiptWorker.runOnce()
      await shop.call('receipts.pay', { id: receipt._id, token, hold: true })
      await shop.call('receipts.confirm_hold', { id: receipt._id, amount: 4_000 })
      await app.store.write(setScenarioStep, { merchantId: user.merchantId, scenario: 'network', step: 'lose_answer' })
      await shop.callRaw('receipts.cancel', { id: receipt._id })
      await app.dashboard.receiptSummaries.runOnce(never)
      const { total } = await user.call('dashboard.receipts.totals', { from: first, to: first })
      assert.deepEqual([total.paid, total.refunded], [6, 3])
      for (const [dateOf, count, tiyin, amountOf] of [
        ['paid', total.paid, total.paidTiyin, 'capturedTiyin'],
        ['refunded', total.refunded, total.refundedTiyin, 'refundedTiyin'],
      ] as const) {
        const rows = await exportAll(user, { ...toTimeRange({ from: first, to: first }), dateOf })
        assert.deepEqual([rows.length, rows.reduce((sum, row) => sum + row[amountOf], 0)], [count, tiyin], dateOf)
      }
      assert.deepEqual([total.pending, total.pendingTiyin], [1, 4_000])
    }),
  )

  test(
    `a file has every receipt of its filter once, in pages, and says how many there are at most, on ${name}`,
    withStore(async ({ store }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const user = await createDashboardClient(app).user('read')
      const shop = app.merchant('spec', user.merchantId)
      const token = await shop.createVerifiedToken(successPan, { save: true })
      const ids: string[] = []
      for (let number = 0; number < 7; number++) {
        const { receipt } = await shop.call('receipts.create', { amount: 10_000 + number, account: { order: 'same' } })
        ids.unshift(receipt._id)
        if (number % 2 === 0) await shop.call('receipts.pay', { id: receipt._id, token })
        app.clock.advance(1000)
      }
      await app.dashboard.receiptSummaries.runOnce(never)
      const paid = ids.filter((_, at) => at % 2 === 0)
      assert.deepEqual(await idsOf(user, {}), ids)
      assert.deepEqual(await idsOf(user, { dateOf: 'paid' }), paid)
      assert.deepEqual(await idsOf(user, { dateOf: 'paid', order: 'same' }), paid)
      assert.deepEqual(
        await idsOf(user, { status: 'open' }),
        ids.filter((id) => !paid.includes(id)),
      )
      for (const [conditions, atMost] of [
        [{}, 7],
        [{ dateOf: 'paid' }, 4],
        [{ status: 'open' }, 3],
        [{ order: 'same' }, null],
      ] as const) {
        assert.equal((await user.call('dashboard.receipts.export', { ...conditions, count: 2 })).atMost, atMost, JSON.stringify(conditions))
      }
      for (const period of [
        { from: '2026-01-01', to: '2027-01-02' },
        { from: '2026-02-30', to: '2026-03-01' },
        { from: '2026-02-02', to: '2026-02-01' },
      ]) {
        assert.equal(await user.expectError('dashboard.receipts.totals', period), 'member_invalid', JSON.stringify(period))
      }
      const { total } = await user.call('dashboard.receipts.totals', { from: '2099-12-31', to: '2099-12-31' })
      assert.deepEqual([total.paid, total.pending], [0, 0])
    }),
  )
}

type ExportRow = Result<'dashboard.receipts.export'>['receipts'][number]

/** In pages of two. */
async function exportAll(user: DashboardUser, filter: Params<'dashboard.receipts.export'>): Promise<ExportRow[]> {
  const rows: ExportRow[] = []
  let after: string | null = null
  for (let page = 0; page < 20; page++) {
    const result: Result<'dashboard.receipts.export'> = await user.call('dashboard.receipts.export', { ...filter, after, count: 2 })
    rows.push(...result.receipts)
    after = result.next
    if (after === null) return rows
  }
  throw new Error('the pages do not end')
}

async function idsOf(user: DashboardUser, filter: Params<'dashboard.receipts.export'>): Promise<string[]> {
  return (await exportAll(user, filter)).map(({ receiptId }) => receiptId)
}
