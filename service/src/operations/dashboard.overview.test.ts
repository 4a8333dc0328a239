import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { addDays, type DayPeriod, periodBefore, dayStart, tashkentDay } from '@tessera/contract/calendar-day'

import { readPeriods } from '../domain/reporting/periods.ts'
import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)
const signal = new AbortController().signal

test('the statistics of a range count each action once, by hour and by day', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const token = await shop.createVerifiedToken('8600069195406311')
  const blocked = await shop.createVerifiedToken('4444445987459073')
  for (const paying of [token, blocked]) {
    const { receipt } = await shop.call('receipts.create', { amount: 70_000, account: {} })
    await shop.callRaw('receipts.pay', { id: receipt._id, token: paying })
  }
  for (const ms of [3, 40, 40, 9000]) app.counters.timed(user.merchantId, ms)
  for (let turn = 0; turn < 3; turn++) await app.counters.runOnce(signal)
  await app.dashboard.receiptSummaries.runOnce(signal)
  for (const days of [1, 7, 30, 92]) {
    const { steps, total, before, declines, codesRefused } = await user.call('dashboard.overview.get', lastDays(days))
    assert.equal(steps.length, days === 1 ? 24 : days)
    const { created: tokens, verified, paid, paidTiyin, refused, codesSent, calls } = total
    assert.deepEqual([tokens, verified, paid, paidTiyin, refused, codesSent, calls], [2, 2, 1, 70_000, 1, 1, 4])
    assert.deepEqual(declines, [{ reason: 'card_blocked', count: 1 }])
    assert.deepEqual(codesRefused, [{ reason: 'card_blocked', count: 1 }])
    const created = steps.map((step) => step.created).filter((count) => count > 0)
    assert.deepEqual(created, [2])
    if (days > 1) assert.equal(steps.at(-1)?.created, 2)
    assert.deepEqual([total.attempts, total.approved, total.refunded, total.refundedTiyin], [2, 1, 0, 0])
    assert.deepEqual({ from: before.from, to: before.to }, periodBefore(lastDays(days)))
    assert.deepEqual([before.total.created, before.total.paidTiyin], [0, 0])
  }
})

test('a captured hold is one approved payment, and a capture that the network declined is no declined payment', async (t) => {
  let refusals = 1
  const declining = await createTestApp(t, {
    network: (sandbox) => ({
      ...sandbox,
      async capture(request, abort) {
        return refusals-- > 0 ? { kind: 'declined', reason: 'debitFailed', rawCode: '05' } : sandbox.capture(request, abort)
      },
    }),
  })
  const user = await createDashboardClient(declining).user('read')
  const shop = declining.merchant('spec', user.merchantId)
  const token = await shop.createVerifiedToken('8600069195406311', { save: true })
  const { receipt } = await shop.call('receipts.create', { amount: 70_000, account: {} })
  await shop.call('receipts.pay', { id: receipt._id, token, hold: true })
  assert.equal(await shop.expectError('receipts.confirm_hold', { id: receipt._id }), 'debit_failed')
  await shop.call('receipts.confirm_hold', { id: receipt._id })
  await declining.counters.runOnce(signal)
  const { total, declines } = await declining.overview(user, lastDays(1))
  assert.deepEqual([total.attempts, total.approved, total.refused, declines], [1, 1, 0, []])
  const { timeline } = await user.call('dashboard.receipts.get', { receiptId: receipt._id })
  assert.ok(timeline.some(({ what }) => what === 'receipt.capture_declined'))
})

test('an action of an hour ago is in its own hour, and one older than the range is not included', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const madeAt = app.clock.now()
  const madeOn = tashkentDay(madeAt)
  await shop.createToken('8600069195406311')
  await app.counters.runOnce(signal)
  app.clock.advance(3_600_000)
  const { steps } = await app.overview(user, { from: madeOn, to: madeOn })
  const hour = Math.floor((madeAt - dayStart(madeOn)) / 3_600_000)
  assert.deepEqual(
    steps.map(({ created }) => created),
    steps.map((_, at) => (at === hour ? 1 : 0)),
  )
  app.clock.advance(24 * 3_600_000)
  const yesterday = await app.overview(user, lastDays(1))
  assert.deepEqual([yesterday.total.created, yesterday.before.total.created], [0, 1])
  assert.equal((await app.overview(user, lastDays(7))).total.created, 1)
  app.clock.advance(190 * 24 * 3_600_000)
  assert.equal((await app.counters.deleteOld(signal)) > 0, true)
})

test('errors of calls are grouped by method and error, with their steps and the period before', async () => {
  const user = await entrance.user('read')
  app.counters.failed(user.merchantId, { method: 'cards.create', error: 'cardNumberFormat' })
  app.counters.failed(user.merchantId, { method: 'receipts.pay', error: 'insufficientFunds' })
  await app.counters.runOnce(signal)
  app.clock.advance(24 * 3_600_000)
  for (let turn = 0; turn < 3; turn++) app.counters.failed(user.merchantId, { method: 'receipts.pay', error: 'insufficientFunds' })
  app.counters.failed(user.merchantId, { method: 'cards.verify', error: 'insufficientFunds' })
  await app.counters.runOnce(signal)
  const today = await app.overview(user, lastDays(1))
  const [first, second, ...others] = today.errors
  assert.deepEqual(others, [])
  assert.deepEqual([first?.method, first?.reason, first?.count, first?.before], ['receipts.pay', 'insufficient_funds', 3, 1])
  assert.deepEqual([second?.method, second?.count, second?.before], ['cards.verify', 1, 0])
  const both = await app.overview(user, lastDays(2))
  assert.deepEqual(
    both.errors.map(({ steps }) => steps),
    [
      [1, 3],
      [1, 0],
      [0, 1],
    ],
  )
})

test('a period that ends before it begins, is too long, or has no such day is rejected', async () => {
  const user = await entrance.user('read')
  for (const [from, to] of [
    ['2026-11-28', '2026-11-27'],
    ['2026-01-01', '2026-11-28'],
    ['2026-02-31', '2026-03-02'],
    ['1970-01-01', '1970-01-02'],
    ['2099-12-31', '2100-01-01'],
  ] as const) {
    assert.equal(await user.expectError('dashboard.overview.get', { from, to }), 'member_invalid', from)
  }
})

function lastDays(count: number): DayPeriod {
  const to = tashkentDay(app.clock.now())
  return { from: addDays(to, 1 - count), to }
}

test('quantiles are estimated within their bucket', () => {
  const of = (...counts: [string, number][]) => readPeriods(counts.map(([name, count]) => ({ name, count })))
  assert.deepEqual(of(), { p50Ms: null, p95Ms: null })
  assert.deepEqual(of(['ms:10', 100]), { p50Ms: 8, p95Ms: 10 })
  assert.deepEqual(of(['ms:5', 50], ['ms:1000', 50]), { p50Ms: 5, p95Ms: 950 })
  assert.deepEqual(of(['ms:more', 2]), { p50Ms: 15_000, p95Ms: 15_000 })
})
