import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { endpointTo, startMerchant, type FaultyMerchant } from '../../adapters/merchant-api/merchant.fixture.ts'
import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import { randomHex } from '../../testing/random.fixture.ts'
import { ledgerOf, rowOf, advanceAllReceipts, successPan, takenBy } from '../../testing/receipts.fixture.ts'
import { listAuditEntries, listAuditHeads } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

import { ReceiptAdministrationError } from './administration.ts'

/** An app whose merchants have the example shop as their endpoint. Orders are of 500 tiyin; `topup` takes any amount. */
export interface Shopping {
  readonly app: TestApp
  readonly merchant: FaultyMerchant
  close(): Promise<void>
}

export async function openShopping(store?: Store): Promise<Shopping> {
  let now = (): number => 0
  const findOrder = (id: string) => (id === 'unknown' ? null : { amountTiyin: id === '197' ? null : 500 })
  const merchant = await startMerchant({ findOrder, now: () => now() })
  const endpoint = ({ clock }: Pick<TestApp, 'clock'>) => {
    now = clock.now
    return endpointTo(() => merchant, clock)
  }
  const app = await createTestApp({ after }, { endpoint, ...(store === undefined ? {} : { store }) })
  return {
    app,
    merchant,
    async close() {
      await app.close()
      await merchant.close()
    },
  }
}

/** What shop and ledger must have of a receipt in its final state. */
export async function expectBooksAgree({ app, merchant }: Shopping, caller: TestMerchant, id: string): Promise<void> {
  const row = await rowOf(app, caller, id)
  const there = merchant.shop.transactions.get(id)
  if (row.state === 4) assert.equal(there?.state, 2)
  else assert.ok(there === undefined || there.state < 0, `state ${String(row.state)}, at the shop ${String(there?.state)}`)
  assert.deepEqual(takenBy(await ledgerOf(app, row)), { takenTiyin: row.state === 4 ? 500 : 0, heldTiyin: row.state === 5 ? 500 : 0 })
  assert.deepEqual(app.alarms, [])
}

interface Paying {
  readonly caller: TestMerchant
  readonly token: string
  readonly id: string
}

async function payable(app: TestApp, options: { save?: boolean; hold?: boolean; orderId?: string } = {}): Promise<Paying> {
  const caller = app.merchant()
  const token = await caller.createVerifiedToken(successPan, { save: options.save ?? true })
  const account = { order_id: options.orderId ?? randomHex(8) }
  const { receipt } = await caller.call('receipts.create', { amount: 500, hold: options.hold ?? false, account })
  return { caller, token, id: receipt._id }
}

/** Lets the timeout of a silent merchant pass. */
async function outwait<T>({ clock }: TestApp, doing: Promise<T>): Promise<T> {
  const done = { is: false }
  const end = () => void (done.is = true)
  doing.then(end, end)
  while (!done.is) {
    if (clock.isSleeping(5000)) clock.advance(5000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return doing
}

async function stateOf(app: TestApp, { caller, id }: Paying): Promise<number> {
  return (await rowOf(app, caller, id)).state
}

/** Runs a test in an app of its own, on one of the stores. */
export type WithShopping = (run: (shopping: Shopping) => Promise<void>) => () => Promise<void>

export function endpointSuite(withShopping: WithShopping): void {
  const methodsOf = (merchant: FaultyMerchant) => merchant.calls.map(({ method }) => method)

  test(
    'check at the merchant, debit, perform at the merchant, each once: states 0, 1, 2, 3, 4',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      const paying = await payable(app)
      const { receipt } = await paying.caller.call('receipts.pay', paying)
      assert.equal(receipt.state, 4)
      assert.deepEqual(methodsOf(merchant), ['CheckPerformTransaction', 'CreateTransaction', 'PerformTransaction'])
      const { id, amount, time } = merchant.calls[1]?.params ?? {}
      assert.deepEqual([id, amount, time], [paying.id, 500, receipt.pay_time])
      await expectBooksAgree(shopping, paying.caller, paying.id)
      const chains = await listAuditHeads(app.store)
      const entries = (await Promise.all(chains.map(({ chain }) => app.store.read(listAuditEntries(chain, 0, 1000))))).flat()
      const actions = entries.filter(({ subject }) => subject === paying.id).map(({ action }) => action)
      assert.deepEqual(actions, [
        'receipt.created',
        'receipt.operation_started',
        'receipt.merchant_agreed',
        'receipt.awaiting_merchant',
        'receipt.paid',
      ])
    }),
  )

  test(
    'of 200 concurrent payments of one receipt one calls the merchant, and the merchant performs one transaction',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      const paying = await payable(app)
      const replies = await Promise.all(Array.from({ length: 200 }, () => paying.caller.callRaw('receipts.pay', paying)))
      assert.equal(replies.filter((reply) => 'receipt' in reply).length, 1)
      assert.deepEqual(methodsOf(merchant), ['CheckPerformTransaction', 'CreateTransaction', 'PerformTransaction'])
      await expectBooksAgree(shopping, paying.caller, paying.id)
    }),
  )

  test(
    'when the merchant refuses the check, the caller gets its error, nothing is debited, and receipt and one-time card can be used again',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      const paying = await payable(app, { save: false, orderId: 'unknown' })
      const reply = await paying.caller.callRaw('receipts.pay', paying)
      assert.ok('error' in reply)
      const message = { ru: 'Заказ не найден', uz: 'Buyurtma topilmadi', en: 'Order not found' }
      const refusal = { code: -31050, message, data: 'order_id' }
      assert.deepEqual([reply.error.code, reply.error.reason, reply.error.data], [-31623, 'merchant_refused', refusal])
      const { receipt } = await paying.caller.call('receipts.get', paying)
      assert.deepEqual([receipt.state, receipt.card], [0, null])
      assert.deepEqual(receipt.error, {
        code: -31623,
        message: 'The merchant refused the payment.',
        data: refusal,
        reason: 'merchant_refused',
      })
      assert.deepEqual(methodsOf(merchant), ['CheckPerformTransaction'])
      await expectBooksAgree(shopping, paying.caller, paying.id)
      const other = await paying.caller.call('receipts.create', { amount: 500, account: { order_id: randomHex(8) } })
      assert.equal((await paying.caller.call('receipts.pay', { id: other.receipt._id, token: paying.token })).receipt.state, 4)
    }),
  )

  test(
    'when the merchant does not respond to the check, or not by the protocol, nothing is debited',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      for (const fault of ['silent', 'lose_request', 'lose_answer', 'garbage', 'huge', 'redirect', 'http_500', 'system_error'] as const) {
        const paying = await payable(app, { save: false })
        merchant.faults.set('CheckPerformTransaction', fault)
        const reply = await outwait(app, paying.caller.callRaw('receipts.pay', paying))
        assert.ok('error' in reply, fault)
        assert.deepEqual([reply.error.code, reply.error.reason], [-31002, 'merchant_no_answer'], fault)
        assert.equal(await stateOf(app, paying), 0, fault)
        assert.deepEqual(await ledgerOf(app, await rowOf(app, paying.caller, paying.id)), [])
        merchant.faults.clear()
        assert.equal((await paying.caller.call('receipts.pay', paying)).receipt.state, 4)
      }
    }),
  )

  test(
    'when the merchant refuses a debited payment, the money is returned (3, 21, 50), the merchant is notified, and the ledger agrees',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      for (const method of ['CreateTransaction', 'PerformTransaction'] as const) {
        const paying = await payable(app)
        merchant.faults.set(method, 'refuse')
        const reply = await paying.caller.callRaw('receipts.pay', paying)
        assert.ok('error' in reply)
        assert.deepEqual([reply.error.code, (reply.error.data as { code: number }).code], [-31623, -31008])
        assert.equal(await stateOf(app, paying), 21)
        await advanceAllReceipts(app)
        assert.equal(await stateOf(app, paying), 50)
        const row = await rowOf(app, paying.caller, paying.id)
        assert.deepEqual((await ledgerOf(app, row)).map(({ kind }) => kind).sort(), ['authorise', 'refund'])
        assert.equal(merchant.calls.at(-1)?.method, 'CancelTransaction')
        assert.deepEqual(merchant.calls.at(-1)?.params, { id: paying.id, reason: 3 })
        await expectBooksAgree(shopping, paying.caller, paying.id)
        merchant.faults.clear()
      }
    }),
  )

  test(
    'when the merchant does not respond after the debit, it is called again until it does, and performs once',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      for (const method of ['CreateTransaction', 'PerformTransaction'] as const) {
        for (const fault of ['lose_request', 'lose_answer', 'http_500', 'system_error', 'garbage'] as const) {
          const paying = await payable(app)
          merchant.faults.set(method, fault)
          assert.equal(await paying.caller.expectError('receipts.pay', paying), 'merchant_closing')
          assert.equal(await stateOf(app, paying), 3)
          assert.equal(await paying.caller.expectError('receipts.cancel', paying), 'receipt_in_progress')
          assert.equal(await paying.caller.expectError('receipts.pay', paying), 'receipt_in_progress')
          for (let look = 0; look < 3; look++) {
            app.clock.advance(60_000)
            await app.receiptWorker.runOnce()
          }
          merchant.faults.clear()
          await advanceAllReceipts(app)
          assert.equal(await stateOf(app, paying), 4, `${method} ${fault}`)
          await expectBooksAgree(shopping, paying.caller, paying.id)
        }
      }
    }),
  )

  test(
    'after twelve hours without a response the money is returned, and the merchant is notified until it responds',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      const paying = await payable(app)
      merchant.faults.set('PerformTransaction', 'lose_answer')
      merchant.faults.set('CancelTransaction', 'lose_request')
      assert.equal(await paying.caller.expectError('receipts.pay', paying), 'merchant_closing')
      const begun = app.clock.now()
      for (let look = 0; look < 200 && (await stateOf(app, paying)) !== 50; look++) {
        const { dueAt } = await rowOf(app, paying.caller, paying.id)
        app.clock.advance(Math.max(0, (dueAt ?? 0) - app.clock.now()))
        await app.receiptWorker.runOnce()
      }
      const back = await rowOf(app, paying.caller, paying.id)
      assert.ok(back.cancelTime - begun >= 12 * 3_600_000 && back.cancelTime - begun < 12.5 * 3_600_000)
      assert.equal(merchant.shop.transactions.get(paying.id)?.state, 2)
      merchant.faults.clear()
      await advanceAllReceipts(app)
      assert.equal(merchant.shop.transactions.get(paying.id)?.state, -2)
      assert.equal((await rowOf(app, paying.caller, paying.id)).flagged, false)
      await expectBooksAgree(shopping, paying.caller, paying.id)
    }),
  )

  test(
    'past its deadline a payment does not wait for the open breaker of an endpoint that never responds: each is returned, and flagged, in one run',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      merchant.faults.set('CreateTransaction', 'http_500')
      merchant.faults.set('CancelTransaction', 'http_500')
      const caller = app.merchant()
      const token = await caller.createVerifiedToken(successPan, { save: true })
      const ids: string[] = []
      for (let reason = 'merchant_closing'; reason === 'merchant_closing';) {
        const { receipt } = await caller.call('receipts.create', { amount: 500, account: { order_id: randomHex(8) } })
        reason = await caller.expectError('receipts.pay', { id: receipt._id, token })
        if (reason === 'merchant_closing') ids.push(receipt._id)
      }
      assert.ok(ids.length >= 5, 'its breaker is open')
      const rowsOf = () => Promise.all(ids.map((id) => rowOf(app, caller, id)))
      app.clock.advance(12 * 3_600_000)
      await app.receiptWorker.runOnce()
      assert.deepEqual(new Set((await rowsOf()).map(({ state }) => state)), new Set([50]))
      const cancelCalls = merchant.calls.filter(({ method }) => method === 'CancelTransaction').length
      assert.ok(cancelCalls < ids.length, 'before the deadline the open breaker counts')
      app.clock.advance(24 * 3_600_000)
      await app.receiptWorker.runOnce()
      const rows = await rowsOf()
      assert.deepEqual(new Set(rows.map(({ flagged, dueAt }) => `${flagged} ${dueAt}`)), new Set(['true null']))
    }),
  )

  test(
    'past a deadline by a clock that is not trusted, the open breaker of an endpoint counts, and nothing is returned',
    withShopping(async ({ app, merchant }) => {
      merchant.faults.set('CreateTransaction', 'http_500')
      const caller = app.merchant()
      const token = await caller.createVerifiedToken(successPan, { save: true })
      const ids: string[] = []
      for (let reason = 'merchant_closing'; reason === 'merchant_closing';) {
        const { receipt } = await caller.call('receipts.create', { amount: 500, account: { order_id: randomHex(8) } })
        reason = await caller.expectError('receipts.pay', { id: receipt._id, token })
        if (reason === 'merchant_closing') ids.push(receipt._id)
      }
      assert.ok(ids.length >= 5, 'its breaker is open')
      const callsBefore = merchant.calls.length
      app.clock.jump(2 * 86_400_000)
      await app.receiptWorker.runOnce()
      assert.ok(merchant.calls.length - callsBefore < ids.length, `${merchant.calls.length - callsBefore} calls`)
      const rows = await Promise.all(ids.map((id) => rowOf(app, caller, id)))
      assert.deepEqual(new Set(rows.map(({ state }) => state)), new Set([3]))
    }),
  )

  test(
    'the merchant is notified of a refund after the payer has the money; without a response the receipt is flagged',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      const paying = await payable(app)
      await paying.caller.call('receipts.pay', paying)
      assert.equal((await paying.caller.call('receipts.cancel', paying)).receipt.state, 21)
      await advanceAllReceipts(app)
      assert.equal(await stateOf(app, paying), 50)
      assert.deepEqual(merchant.calls.at(-1), { ...merchant.calls.at(-1), params: { id: paying.id, reason: 5 } })
      await expectBooksAgree(shopping, paying.caller, paying.id)

      const unheard = await payable(app)
      await unheard.caller.call('receipts.pay', unheard)
      merchant.faults.set('CancelTransaction', 'http_500')
      await unheard.caller.call('receipts.cancel', unheard)
      await advanceAllReceipts(app)
      for (let look = 0; look < 300; look++) {
        const { dueAt } = await rowOf(app, unheard.caller, unheard.id)
        if (dueAt === null) break
        app.clock.advance(Math.max(0, dueAt - app.clock.now()))
        await app.receiptWorker.runOnce()
      }
      const row = await rowOf(app, unheard.caller, unheard.id)
      assert.deepEqual([row.state, row.flagged, row.dueAt], [50, true, null])

      const informed = { paidAt: null, isMerchantInformed: true, reference: 'mail-17', reason: 'told by telephone' }
      const debited = { ...informed, receiptId: unheard.id, paidAt: app.clock.now() }
      await assert.rejects(
        app.receiptAdministration.resolve(debited, operatorActor),
        (err) => err instanceof ReceiptAdministrationError && err.fault === 'receipt_not_unknown',
        'a statement is about an unknown payment only',
      )
      const details = await app.receiptAdministration.resolve({ receiptId: unheard.id, ...informed }, operatorActor)
      assert.deepEqual([details.receipt.state, details.receipt.flagged, details.hasValidMac], [50, false, true])
      const cancellation = details.operations.find(({ kind }) => kind === 'merchantCancel')
      assert.deepEqual([cancellation?.networkRef, cancellation?.rawCode], ['mail-17', 'told by telephone'])
      const [entry] = details.entries
      assert.deepEqual([entry?.action, entry?.outcome, entry?.actor], ['receipt.resolved', 'merchant_informed', 'operator'])
      assert.equal(
        (await app.receiptAdministration.list({ state: null, isFlagged: true, merchantId: null, after: null, count: 9 })).receipts.length,
        0,
      )
      for (const { id } of [unheard, paying])
        await assert.rejects(
          app.receiptAdministration.resolve({ receiptId: id, ...informed }, operatorActor),
          (err) => err instanceof ReceiptAdministrationError && err.fault === 'receipt_not_flagged',
        )
    }),
  )

  test(
    'a hold is checked and never performed at the merchant: capturing it is the merchant’s own call',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      const paying = await payable(app, { hold: true })
      assert.equal((await paying.caller.call('receipts.pay', paying)).receipt.state, 5)
      assert.equal((await paying.caller.call('receipts.confirm_hold', { id: paying.id })).receipt.state, 4)
      await paying.caller.call('receipts.cancel', paying)
      await advanceAllReceipts(app)
      assert.equal(await stateOf(app, paying), 50)
      assert.deepEqual(methodsOf(merchant), ['CheckPerformTransaction'])
    }),
  )

  test(
    'a crash during the check debits nothing: the receipt goes from 1 back to 0 and can be paid',
    withShopping(async (shopping) => {
      const { app, merchant } = shopping
      const paying = await payable(app, { save: false })
      merchant.faults.set('CheckPerformTransaction', 'silent')
      const abandoned = paying.caller.callRaw('receipts.pay', paying)
      await app.clock.untilSleeping(5000)
      assert.equal(await stateOf(app, paying), 1)
      const fallen = await createTestApp({ after }, { store: app.store, continues: app })
      const lease = (await rowOf(app, paying.caller, paying.id)).dueAt ?? 0
      merchant.faults.clear()
      app.clock.jump(lease - app.clock.now())
      await fallen.receiptWorker.runOnce()
      assert.equal(await stateOf(app, paying), 0)
      assert.equal((await paying.caller.call('receipts.pay', paying)).receipt.state, 4)
      await expectBooksAgree(shopping, paying.caller, paying.id)
      app.clock.advance(5000)
      // It finds that others went on meanwhile; the store must not be closed before it has ended.
      await Promise.allSettled([abandoned])
      await fallen.close()
    }),
  )
}
