import { after, test } from 'node:test'

import { createMerchantServer } from '../../../../examples/merchant-endpoint/server.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

import type { MerchantApiReply } from './merchant-api.ts'
import { endpointTo, type Fault, startMerchant } from './merchant.fixture.ts'
import assert from 'node:assert/strict'

const clock = makeHandClock()
const signal = new AbortController().signal
const merchantId = '65f0c0ffee0000000000cafe'
const transactionId = '6b015d9002e0bb7c691c8af8'
const orders: Readonly<Record<string, number>> = { '197': 500_000, '198': 500_000, '199': 500_000 }
const findOrder = (id: string) => (orders[id] === undefined ? null : { amountTiyin: orders[id] })

const parts = { findOrder, now: () => clock.now() }
let merchant = await startMerchant(parts)
after(() => merchant.close())
const endpoint = endpointTo(() => merchant, clock)

function payment(orderId = '197', sum = 500_000) {
  return { merchantId, amountTiyin: sum, account: { order_id: orderId } }
}

function transaction(orderId: string, options: { id?: string; isAgain?: boolean } = {}) {
  return { ...payment(orderId), transactionId: options.id ?? transactionId, at: clock.now(), isAgain: options.isAgain ?? false }
}

function codeOf(said: MerchantApiReply): number | string {
  return said.kind === 'refused' ? said.error.code : said.kind === 'silent' ? said.why : 'agreed'
}

async function anew(): Promise<void> {
  await merchant.close()
  merchant = await startMerchant(parts)
}

test('the reply to a check is an agreement, or the merchant’s own error with its texts in three languages', async () => {
  assert.deepEqual(await endpoint.check(payment(), signal), { kind: 'agreed' })
  assert.deepEqual(await endpoint.check(payment('404'), signal), {
    kind: 'refused',
    error: { code: -31050, message: { ru: 'Заказ не найден', uz: 'Buyurtma topilmadi', en: 'Order not found' }, data: 'order_id' },
  })
  assert.equal(codeOf(await endpoint.check(payment('197', 1), signal)), -31001)
  assert.deepEqual(merchant.heard[0]?.params, { amount: 500_000, account: { order_id: '197' } })
  assert.equal(merchant.shop.transactions.size, 0)
})

test('no reply, or one outside the protocol, is silence: neither agreement nor refusal, and no redirect is followed', async () => {
  await anew()
  const other = await startMerchant(parts)
  merchant.elsewhere = other.url
  const said: Record<string, number | string> = {}
  const faults: Fault[] = ['lose_request', 'garbage', 'empty', 'redirect', 'http_500', 'huge', 'system_error', 'lose_answer']
  for (const fault of faults) {
    merchant.faults.set('CheckPerformTransaction', fault)
    said[fault] = codeOf(await endpoint.check(payment(), signal))
  }
  assert.deepEqual(said, {
    lose_request: 'unreachable',
    garbage: 'not_a_reply',
    empty: 'not_a_reply',
    redirect: 'http_307',
    http_500: 'http_500',
    huge: 'too_long',
    system_error: 'error_-32400',
    lose_answer: 'unreachable',
  })
  assert.equal(other.heard.length, 0)
  await other.close()
})

test('a call of a silent merchant ends after five seconds', async () => {
  await anew()
  merchant.faults.set('CheckPerformTransaction', 'silent')
  const asking = endpoint.check(payment(), signal)
  await clock.untilSleeping(5000)
  clock.advance(5000)
  assert.equal(codeOf(await asking), 'late')
})

test('a wrong password is silence and a fault to fix, not a refusal of the payment', async () => {
  await anew()
  const strict = createMerchantServer({ shop: merchant.shop, login: 'Paycom', password: 'another', onCall: () => undefined })
  await new Promise<void>((resolve) => strict.listen(0, '127.0.0.1', resolve))
  const at = strict.address()
  const url = `http://127.0.0.1:${typeof at === 'object' && at !== null ? String(at.port) : ''}/`
  assert.equal(codeOf(await endpointTo(() => ({ url }), clock).check(payment(), signal)), 'error_-32504')
  strict.closeAllConnections()
  strict.close()
})

test('a transaction is created and performed once, whichever request or reply was lost', async () => {
  for (const method of ['CreateTransaction', 'PerformTransaction']) {
    for (const fault of ['lose_request', 'lose_answer'] as const) {
      await anew()
      merchant.faults.set(method, fault)
      assert.equal((await endpoint.perform(transaction('197'), signal)).kind, 'silent', `${method} ${fault}`)
      merchant.faults.clear()
      for (let turn = 0; turn < 2; turn++) {
        assert.equal(codeOf(await endpoint.perform(transaction('197', { isAgain: true }), signal)), 'agreed', `${method} ${fault}`)
      }
      assert.deepEqual(
        [...merchant.shop.transactions.values()].map(({ state }) => state),
        [2],
      )
    }
  }
})

test('an order that another transaction pays is refused when the transaction is created', async () => {
  await anew()
  assert.equal(codeOf(await endpoint.perform(transaction('198'), signal)), 'agreed')
  assert.equal(codeOf(await endpoint.perform(transaction('198', { id: '6b015d9002e0bb7c691c8af9' }), signal)), -31099)
})

test('cancelling succeeds for a transaction that was never created, and moves a performed one to -2 with its reason', async () => {
  await anew()
  const cancelling = { merchantId, transactionId, reason: 'refunded' } as const
  assert.equal(codeOf(await endpoint.cancel(cancelling, signal)), 'agreed')
  await endpoint.perform(transaction('199'), signal)
  for (let turn = 0; turn < 2; turn++) assert.equal(codeOf(await endpoint.cancel(cancelling, signal)), 'agreed')
  const { state, reason } = merchant.shop.transactions.get(transactionId) ?? {}
  assert.deepEqual([state, reason], [-2, 5])
  assert.equal(codeOf(await endpoint.perform(transaction('199', { isAgain: true }), signal)), -31008)
})

test('a merchant without an endpoint agrees to everything and is not called', async () => {
  const none = endpointTo(() => null, clock)
  assert.equal(await none.isSet(merchantId), false)
  assert.equal(codeOf(await none.perform(transaction('197'), signal)), 'agreed')
})
