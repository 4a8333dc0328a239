import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { endpointTo, startMerchant } from '../../adapters/merchant-api/merchant.fixture.ts'
import { observeMerchantApi } from '../../adapters/merchant-api/observe-merchant-api.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

import { makeMerchantEndpointObserver } from './observers.ts'
import { makeLog } from './log.ts'
import { makeMetrics } from '../metrics/metrics.ts'

const merchantId = '65f0c0ffee0000000000cafe'
const receiptId = '6b015d9002e0bb7c691c8af8'
const clock = makeHandClock()
const signal = new AbortController().signal
const merchant = await startMerchant({ findOrder: () => ({ amountTiyin: null }), now: () => clock.now() })
after(() => merchant.close())

function openObserver(find: () => typeof merchant | null = () => merchant) {
  const lines: Record<string, unknown>[] = []
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }, () => 0)
  const metrics = makeMetrics(clock)
  metrics.close()
  let now = 0
  const endpoint = observeMerchantApi({
    endpoint: endpointTo(find, clock),
    onCall: makeMerchantEndpointObserver(log, metrics),
    now: () => (now += 7),
  })
  const counted = async () => (await metrics.render()).match(/tessera_merchant_endpoint_calls_total\{.*/g) ?? []
  return { lines, counted, endpoint }
}

const ask = { merchantId, amountTiyin: 100, account: { order_id: '4' } }
const transaction = { ...ask, transactionId: receiptId, at: 1, isRetry: true }

test('an endpoint that refuses, does not answer or errs gets one line with its reason; one that agrees is only counted', async () => {
  const { lines, counted, endpoint } = openObserver()
  await endpoint.check(ask, signal)
  assert.deepEqual(lines, [])
  merchant.faults.set('CheckPerformTransaction', 'refuse')
  await endpoint.check(ask, signal)
  merchant.faults.set('PerformTransaction', 'http_500')
  await endpoint.perform(transaction, signal)
  merchant.faults.set('CancelTransaction', 'system_error')
  await endpoint.cancel({ merchantId, transactionId: receiptId, reason: 'refunded' }, signal)
  merchant.faults.clear()
  const time = '1970-01-01T00:00:00.000Z'
  assert.deepEqual(lines, [
    { level: 'info', time, merchantId, operation: 'check', reason: 'refused', code: -31008, ms: 7, event: 'merchant_endpoint_refused' },
    { level: 'warn', time, merchantId, receiptId, operation: 'perform', reason: 'http_500', ms: 7, event: 'merchant_endpoint_silent' },
    {
      level: 'warn',
      time,
      merchantId,
      receiptId,
      operation: 'cancel',
      reason: 'error',
      code: -32400,
      ms: 7,
      event: 'merchant_endpoint_silent',
    },
  ])
  assert.deepEqual(await counted(), [
    'tessera_merchant_endpoint_calls_total{operation="check",outcome="agreed"} 1',
    'tessera_merchant_endpoint_calls_total{operation="check",outcome="refused"} 1',
    'tessera_merchant_endpoint_calls_total{operation="perform",outcome="silent"} 1',
    'tessera_merchant_endpoint_calls_total{operation="cancel",outcome="silent"} 1',
  ])
})

test('an endpoint that cannot be called is reported as failed, and the error is thrown on', async () => {
  const { lines, counted, endpoint } = openObserver(() => {
    throw new TypeError('its seal does not open')
  })
  await assert.rejects(endpoint.check(ask, signal), TypeError)
  assert.deepEqual(
    [lines[0]?.level, lines[0]?.event, (lines[0]?.err as { name: string }).name],
    ['error', 'merchant_endpoint_failed', 'TypeError'],
  )
  assert.deepEqual(await counted(), ['tessera_merchant_endpoint_calls_total{operation="check",outcome="failed"} 1'])
})

test('nothing that a merchant’s endpoint sends gets into the log, card numbers included', async () => {
  const lines: Record<string, unknown>[] = []
  const said = { kind: 'refused', error: { code: -8600069195406311, message: '8600069195406311', data: 'order 8600069195406311' } } as const
  const loud = { hasEndpoint: async () => true, check: async () => said, perform: async () => said, cancel: async () => said }
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }, () => 0)
  const metrics = makeMetrics(clock)
  metrics.close()
  await observeMerchantApi({ endpoint: loud, onCall: makeMerchantEndpointObserver(log, metrics), now: () => 0 }).check(ask, signal)
  assert.equal(log.maskedCount(), 0)
  assert.deepEqual(Object.keys(lines[0] ?? {}), ['level', 'time', 'merchantId', 'operation', 'reason', 'ms', 'event'])
})
