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

const merchantOptions = { findOrder, now: () => clock.now() }
let merchant = await startMerchant(merchantOptions)
after(() => merchant.close())
const endpoint = endpointTo(() => merchant, clock)

function payment(orderId = '197', sum = 500_000) {
  return { merchantId, amountTiyin: sum, account: { order_id: orderId } }
}

function transaction(orderId: string, options: { id?: string; isRetry?: boolean } = {}) {
  return { ...payment(orderId), transactionId: options.id ?? transactionId, at: clock.now(), isRetry: options.isRetry ?? false }
}

function codeOf(reply: MerchantApiReply): number | string {
  return reply.kind === 'refused' ? reply.error.code : reply.kind === 'silent' ? reply.reason : 'agreed'
}

async function restartMerchant(): Promise<void> {
  await merchant.close()
  merchant = await startMerchant(merchantOptions)
}

test('the reply to a check is an agreement, or the merchant’s own error with its texts in three languages', async () => {
  assert.deepEqual(await endpoint.check(payment(), signal), { kind: 'agreed' })
  assert.deepEqual(await endpoint.check(payment('404'), signal), {
    kind: 'refused',
    error: { code: -31050, message: { ru: 'Заказ не найден', uz: 'Buyurtma topilmadi', en: 'Order not found' }, data: 'order_id' },
  })
  assert.equal(codeOf(await endpoint.check(payment('197', 1), signal)), -31001)
  assert.deepEqual(merchant.calls[0]?.params, { amount: 500_000, account: { order_id: '197' } })
  assert.equal(merchant.shop.transactions.size, 0)
})

test('no reply, or one outside the protocol, is neither agreement nor refusal, and no redirect is followed', async () => {
  await restartMerchant()
  const other = await startMerchant(merchantOptions)
  merchant.elsewhere = other.url
  const codes: Record<string, number | string> = {}
  const faults: Fault[] = ['lose_request', 'garbage', 'empty', 'redirect', 'http_500', 'huge', 'system_error', 'lose_answer']
  for (const fault of faults) {
    merchant.faults.set('CheckPerformTransaction', fault)
    codes[fault] = codeOf(await endpoint.check(payment(), signal))
  }
  assert.deepEqual(codes, {
    lose_request: 'unreachable',
    garbage: 'not_a_reply',
    empty: 'not_a_reply',
    redirect: 'http_307',
    http_500: 'http_500',
    huge: 'too_long',
    system_error: 'error_-32400',
    lose_answer: 'unreachable',
  })
  assert.equal(other.calls.length, 0)
  await other.close()
})

test('a call to a merchant that does not reply ends after five seconds', async () => {
  await restartMerchant()
  merchant.faults.set('CheckPerformTransaction', 'silent')
  const checking = endpoint.check(payment(), signal)
  await clock.untilSleeping(5000)
  clock.advance(5000)
  assert.equal(codeOf(await checking), 'late')
})

test('a wrong password is not a refusal of the payment', async () => {
  await restartMerchant()
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
      await restartMerchant()
      merchant.faults.set(method, fault)
      assert.equal((await endpoint.perform(transaction('197'), signal)).kind, 'silent', `${method} ${fault}`)
      merchant.faults.clear()
      for (let attempt = 0; attempt < 2; attempt++) {
        assert.equal(codeOf(await endpoint.perform(transaction('197', { isRetry: true }), signal)), 'agreed', `${method} ${fault}`)
      }
      assert.deepEqual(
        [...merchant.shop.transactions.values()].map(({ state }) => state),
        [2],
      )
    }
  }
})

test('a second transaction for one order is refused when it is created', async () => {
  await restartMerchant()
  assert.equal(codeOf(await endpoint.perform(transaction('198'), signal)), 'agreed')
  assert.equal(codeOf(await endpoint.perform(transaction('198', { id: '6b015d9002e0bb7c691c8af9' }), signal)), -31099)
})

test('a cancellation succeeds for a transaction that was never created, and moves a performed one to -2 with its reason', async () => {
  await restartMerchant()
  const cancellation = { merchantId, transactionId, reason: 'refunded' } as const
  assert.equal(codeOf(await endpoint.cancel(cancellation, signal)), 'agreed')
  await endpoint.perform(transaction('199'), signal)
  for (let attempt = 0; attempt < 2; attempt++) assert.equal(codeOf(await endpoint.cancel(cancellation, signal)), 'agreed')
  const { state, reason } = merchant.shop.transactions.get(transactionId) ?? {}
  assert.deepEqual([state, reason], [-2, 5])
  assert.equal(codeOf(await endpoint.perform(transaction('199', { isRetry: true }), signal)), -31008)
})

test('a merchant without an endpoint agrees to everything and is not called', async () => {
  const none = endpointTo(() => null, clock)
  assert.equal(await none.hasEndpoint(merchantId), false)
  assert.equal(codeOf(await none.perform(transaction('197'), signal)), 'agreed')
})
