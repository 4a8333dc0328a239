import assert from 'node:assert/strict'
import { test } from 'node:test'

import { endpointTo, startMerchant, type FaultyMerchant } from '../endpoint/merchant.fixture.ts'
import type { Caller } from '../methods/caller.fixture.ts'
import { compose, type House } from '../methods/compose.fixture.ts'
import { randomHex } from '../methods/drawn.fixture.ts'
import { ledgerOf, rowOf, settleAll, successPan, takenBy } from '../methods/receipts.fixture.ts'
import type { Store } from '../store/store.ts'

/** A house whose merchants have the example shop for their endpoint. Orders are of 500 tiyin; `topup` takes anything. */
export interface Shopping {
  readonly house: House
  readonly merchant: FaultyMerchant
  close(): Promise<void>
}

export async function openShopping(store?: Store): Promise<Shopping> {
  let now = (): number => 0
  const findOrder = (id: string) => (id === 'unknown' ? null : { sum: id === '197' ? null : 500 })
  const merchant = await startMerchant({ findOrder, now: () => now() })
  const endpoint = ({ clock }: Pick<House, 'clock'>) => {
    now = clock.now
    return endpointTo(() => merchant, clock)
  }
  const house = await compose({ endpoint, ...(store === undefined ? {} : { store }) })
  return {
    ...{ house, merchant },
    async close() {
      await house.close()
      await merchant.close()
    },
  }
}

/** What the shop and the ledger must say of a receipt that came to its end. */
export async function expectBooksAgree({ house, merchant }: Shopping, caller: Caller, id: string): Promise<void> {
  const row = await rowOf(house, caller, id)
  const there = merchant.shop.transactions.get(id)
  if (row.state === 4) assert.equal(there?.state, 2)
  else assert.ok(there === undefined || there.state < 0, `state ${String(row.state)}, at the shop ${String(there?.state)}`)
  assert.deepEqual(takenBy(await ledgerOf(house, row)), { takenTiyin: row.state === 4 ? 500 : 0, heldTiyin: row.state === 5 ? 500 : 0 })
  assert.deepEqual(house.alarms, [])
}

interface Paying {
  readonly caller: Caller
  readonly token: string
  readonly id: string
}

async function payable(house: House, options: { save?: boolean; hold?: boolean; orderId?: string } = {}): Promise<Paying> {
  const caller = house.caller()
  const token = await caller.verified(successPan, { save: options.save ?? true })
  const account = { order_id: options.orderId ?? randomHex(8) }
  const { receipt } = await caller.expect('receipts.create', { amount: 500, hold: options.hold ?? false, account })
  return { caller, token, id: receipt._id }
}

/** Ends the waits for a merchant that says nothing. */
async function outwait<T>({ clock }: House, doing: Promise<T>): Promise<T> {
  const done = { is: false }
  const end = () => void (done.is = true)
  doing.then(end, end)
  while (!done.is) {
    if (clock.isSleeping(5000)) clock.advance(5000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return doing
}

async function stateOf(house: House, { caller, id }: Paying): Promise<number> {
  return (await rowOf(house, caller, id)).state
}

/** Runs a test in a house of its own, on one of the stores. */
export type WithShopping = (run: (shopping: Shopping) => Promise<void>) => () => Promise<void>

export function endpointSuite(withShopping: WithShopping): void {
  const methodsOf = (merchant: FaultyMerchant) => merchant.heard.map(({ method }) => method)

  test(
    'the merchant is asked, then the card debited, then the merchant told, each once: 0, 1, 2, 3, 4',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      const paying = await payable(house)
      const { receipt } = await paying.caller.expect('receipts.pay', paying)
      assert.equal(receipt.state, 4)
      assert.deepEqual(methodsOf(merchant), ['CheckPerformTransaction', 'CreateTransaction', 'PerformTransaction'])
      const { id, amount, time } = merchant.heard[1]?.params ?? {}
      assert.deepEqual([id, amount, time], [paying.id, 500, receipt.pay_time])
      await expectBooksAgree(shopping, paying.caller, paying.id)
      const chains = await house.store.listAuditChains()
      const entries = (await Promise.all(chains.map(({ chain }) => house.store.readAudit(chain, 0, 1000)))).flat()
      const deeds = entries.filter(({ subject }) => subject === paying.id).map(({ action }) => action)
      assert.deepEqual(deeds, ['receipt.created', 'receipt.asked', 'receipt.cleared', 'receipt.closing', 'receipt.paid'])
    }),
  )

  test(
    'of 200 payments of one receipt at once one asks the merchant, and it performs once',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      const paying = await payable(house)
      const replies = await Promise.all(Array.from({ length: 200 }, () => paying.caller.call('receipts.pay', paying)))
      assert.equal(replies.filter((reply) => 'receipt' in reply).length, 1)
      assert.deepEqual(methodsOf(merchant), ['CheckPerformTransaction', 'CreateTransaction', 'PerformTransaction'])
      await expectBooksAgree(shopping, paying.caller, paying.id)
    }),
  )

  test(
    'a merchant that refuses at the check is told with its own error; nothing is taken, and the receipt and a one-time card are free again',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      const paying = await payable(house, { save: false, orderId: 'unknown' })
      const reply = await paying.caller.call('receipts.pay', paying)
      assert.ok('error' in reply)
      const message = { ru: 'Заказ не найден', uz: 'Buyurtma topilmadi', en: 'Order not found' }
      const refusal = { code: -31050, message, data: 'order_id' }
      assert.deepEqual([reply.error.code, reply.error.reason, reply.error.data], [-31623, 'merchant_refused', refusal])
      const { receipt } = await paying.caller.expect('receipts.get', paying)
      assert.deepEqual([receipt.state, receipt.card], [0, null])
      assert.deepEqual(receipt.error, {
        code: -31623,
        message: 'The merchant refused the payment.',
        data: refusal,
        reason: 'merchant_refused',
      })
      assert.deepEqual(methodsOf(merchant), ['CheckPerformTransaction'])
      await expectBooksAgree(shopping, paying.caller, paying.id)
      const other = await paying.caller.expect('receipts.create', { amount: 500, account: { order_id: randomHex(8) } })
      assert.equal((await paying.caller.expect('receipts.pay', { id: other.receipt._id, token: paying.token })).receipt.state, 4)
    }),
  )

  test(
    'a merchant that does not answer the check, or not in its protocol, is a clean refusal: nothing is taken',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      for (const fault of ['silent', 'lose_request', 'lose_answer', 'garbage', 'huge', 'redirect', 'http_500', 'system_error'] as const) {
        const paying = await payable(house, { save: false })
        merchant.faults.set('CheckPerformTransaction', fault)
        const reply = await outwait(house, paying.caller.call('receipts.pay', paying))
        assert.ok('error' in reply, fault)
        assert.deepEqual([reply.error.code, reply.error.reason], [-31002, 'merchant_no_answer'], fault)
        assert.equal(await stateOf(house, paying), 0, fault)
        assert.deepEqual(await ledgerOf(house, await rowOf(house, paying.caller, paying.id)), [])
        merchant.faults.clear()
        assert.equal((await paying.caller.expect('receipts.pay', paying)).receipt.state, 4)
      }
    }),
  )

  test(
    'a merchant that refuses when the money is there: it goes back, 3, 21, 50, the merchant hears of it, and the ledger agrees',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      for (const method of ['CreateTransaction', 'PerformTransaction'] as const) {
        const paying = await payable(house)
        merchant.faults.set(method, 'refuse')
        const reply = await paying.caller.call('receipts.pay', paying)
        assert.ok('error' in reply)
        assert.deepEqual([reply.error.code, (reply.error.data as { code: number }).code], [-31623, -31008])
        assert.equal(await stateOf(house, paying), 21)
        await settleAll(house)
        assert.equal(await stateOf(house, paying), 50)
        const row = await rowOf(house, paying.caller, paying.id)
        assert.deepEqual((await ledgerOf(house, row)).map(({ kind }) => kind).sort(), ['authorise', 'refund'])
        assert.equal(merchant.heard.at(-1)?.method, 'CancelTransaction')
        assert.deepEqual(merchant.heard.at(-1)?.params, { id: paying.id, reason: 3 })
        await expectBooksAgree(shopping, paying.caller, paying.id)
        merchant.faults.clear()
      }
    }),
  )

  test(
    'a merchant that does not answer when the money is there is asked again until it does, and has performed once',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      for (const method of ['CreateTransaction', 'PerformTransaction'] as const) {
        for (const fault of ['lose_request', 'lose_answer', 'http_500', 'system_error', 'garbage'] as const) {
          const paying = await payable(house)
          merchant.faults.set(method, fault)
          assert.equal(await paying.caller.refused('receipts.pay', paying), 'merchant_closing')
          assert.equal(await stateOf(house, paying), 3)
          assert.equal(await paying.caller.refused('receipts.cancel', paying), 'receipt_in_progress')
          assert.equal(await paying.caller.refused('receipts.pay', paying), 'receipt_in_progress')
          for (let look = 0; look < 3; look++) {
            house.clock.advance(60_000)
            await house.settle.runOnce()
          }
          merchant.faults.clear()
          await settleAll(house)
          assert.equal(await stateOf(house, paying), 4, `${method} ${fault}`)
          await expectBooksAgree(shopping, paying.caller, paying.id)
        }
      }
    }),
  )

  test(
    'after twelve hours without an answer the money goes back, and the merchant is told until it hears',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      const paying = await payable(house)
      merchant.faults.set('PerformTransaction', 'lose_answer')
      merchant.faults.set('CancelTransaction', 'lose_request')
      assert.equal(await paying.caller.refused('receipts.pay', paying), 'merchant_closing')
      const begun = house.clock.now()
      for (let look = 0; look < 200 && (await stateOf(house, paying)) !== 50; look++) {
        const { dueAt } = await rowOf(house, paying.caller, paying.id)
        house.clock.advance(Math.max(0, (dueAt ?? 0) - house.clock.now()))
        await house.settle.runOnce()
      }
      const back = await rowOf(house, paying.caller, paying.id)
      assert.ok(back.cancelTime - begun >= 12 * 3_600_000 && back.cancelTime - begun < 12.5 * 3_600_000)
      assert.equal(merchant.shop.transactions.get(paying.id)?.state, 2)
      merchant.faults.clear()
      await settleAll(house)
      assert.equal(merchant.shop.transactions.get(paying.id)?.state, -2)
      assert.equal((await rowOf(house, paying.caller, paying.id)).flagged, false)
      await expectBooksAgree(shopping, paying.caller, paying.id)
    }),
  )

  test(
    'the merchant hears that a paid receipt was cancelled when the payer has the money; one that never answers leaves it flagged',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      const paying = await payable(house)
      await paying.caller.expect('receipts.pay', paying)
      assert.equal((await paying.caller.expect('receipts.cancel', paying)).receipt.state, 21)
      await settleAll(house)
      assert.equal(await stateOf(house, paying), 50)
      assert.deepEqual(merchant.heard.at(-1), { ...merchant.heard.at(-1), params: { id: paying.id, reason: 5 } })
      await expectBooksAgree(shopping, paying.caller, paying.id)

      const unheard = await payable(house)
      await unheard.caller.expect('receipts.pay', unheard)
      merchant.faults.set('CancelTransaction', 'http_500')
      await unheard.caller.expect('receipts.cancel', unheard)
      await settleAll(house)
      for (let look = 0; look < 300; look++) {
        const { dueAt } = await rowOf(house, unheard.caller, unheard.id)
        if (dueAt === null) break
        house.clock.advance(Math.max(0, dueAt - house.clock.now()))
        await house.settle.runOnce()
      }
      const row = await rowOf(house, unheard.caller, unheard.id)
      assert.deepEqual([row.state, row.flagged, row.dueAt], [50, true, null])
    }),
  )

  test(
    'a hold is checked before and told never: the merchant’s own confirmation is its word',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      const paying = await payable(house, { hold: true })
      assert.equal((await paying.caller.expect('receipts.pay', paying)).receipt.state, 5)
      assert.equal((await paying.caller.expect('receipts.confirm_hold', { id: paying.id })).receipt.state, 4)
      await paying.caller.expect('receipts.cancel', paying)
      await settleAll(house)
      assert.equal(await stateOf(house, paying), 50)
      assert.deepEqual(methodsOf(merchant), ['CheckPerformTransaction'])
    }),
  )

  test(
    'whoever fell while the merchant was checking took nothing: 1 goes back to 0, and can be paid',
    withShopping(async (shopping) => {
      const { house, merchant } = shopping
      const paying = await payable(house, { save: false })
      merchant.faults.set('CheckPerformTransaction', 'silent')
      const abandoned = paying.caller.call('receipts.pay', paying)
      await house.clock.untilSleeping(5000)
      assert.equal(await stateOf(house, paying), 1)
      const fallen = await compose({ store: house.store, after: house })
      const lease = (await rowOf(house, paying.caller, paying.id)).dueAt ?? 0
      merchant.faults.clear()
      house.clock.jump(lease - house.clock.now())
      await fallen.settle.runOnce()
      assert.equal(await stateOf(house, paying), 0)
      assert.equal((await paying.caller.expect('receipts.pay', paying)).receipt.state, 4)
      await expectBooksAgree(shopping, paying.caller, paying.id)
      house.clock.advance(5000)
      // It finds that others went on without it, and the store is closed after it only.
      await Promise.allSettled([abandoned])
      await fallen.close()
    }),
  )
}
