import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { endpointTo, startMerchant } from '../endpoint/merchant.fixture.ts'
import { makeTellingEndpoint } from '../endpoint/told.ts'
import { makeHandClock } from '../methods/clock.fixture.ts'

import { makeEndpointJournal } from './endpoint-journal.ts'
import { makeLog } from './log.ts'
import { makeMetrics } from './metrics.ts'

const merchantId = '65f0c0ffee0000000000cafe'
const receiptId = '6b015d9002e0bb7c691c8af8'
const clock = makeHandClock()
const signal = new AbortController().signal
const merchant = await startMerchant({ findOrder: () => ({ sum: null }), now: () => clock.now() })
after(() => merchant.close())

function openJournal(find: () => typeof merchant | null = () => merchant) {
  const lines: Record<string, unknown>[] = []
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }, () => 0)
  const metrics = makeMetrics([])
  metrics.close()
  let now = 0
  const endpoint = makeTellingEndpoint({
    endpoint: endpointTo(find, clock),
    tell: makeEndpointJournal(log, metrics),
    now: () => (now += 7),
  })
  const counted = () => metrics.render().match(/tessera_merchant_endpoint_total\{.*/g) ?? []
  return { lines, counted, endpoint }
}

const ask = { merchantId, amountTiyin: 100, account: { order_id: '4' } }
const transaction = { ...ask, transactionId: receiptId, at: 1, isAgain: true }

test('an endpoint that refuses, is silent or errs leaves one line with its reason, and one that agrees leaves a figure alone', async () => {
  const { lines, counted, endpoint } = openJournal()
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
    { level: 'info', time, merchantId, deed: 'check', reason: 'refused', code: -31008, ms: 7, event: 'endpoint_refused' },
    { level: 'warn', time, merchantId, receiptId, deed: 'perform', reason: 'http_500', ms: 7, event: 'endpoint_silent' },
    { level: 'warn', time, merchantId, receiptId, deed: 'cancel', reason: 'error', code: -32400, ms: 7, event: 'endpoint_silent' },
  ])
  assert.deepEqual(counted(), [
    'tessera_merchant_endpoint_total{deed="check",outcome="agreed"} 1',
    'tessera_merchant_endpoint_total{deed="check",outcome="refused"} 1',
    'tessera_merchant_endpoint_total{deed="perform",outcome="silent"} 1',
    'tessera_merchant_endpoint_total{deed="cancel",outcome="silent"} 1',
  ])
})

test('an endpoint that cannot be asked is told as failed, and the fault goes on to whoever asked', async () => {
  const { lines, counted, endpoint } = openJournal(() => {
    throw new TypeError('its seal does not open')
  })
  await assert.rejects(endpoint.check(ask, signal), TypeError)
  assert.deepEqual([lines[0]?.level, lines[0]?.event, (lines[0]?.err as { name: string }).name], ['error', 'endpoint_failed', 'TypeError'])
  assert.deepEqual(counted(), ['tessera_merchant_endpoint_total{deed="check",outcome="failed"} 1'])
})

test('nothing that a merchant writes gets into the log, a number with the digits of a card neither', async () => {
  const lines: Record<string, unknown>[] = []
  const said = { kind: 'refused', error: { code: -8600069195406311, message: '8600069195406311', data: 'order 8600069195406311' } } as const
  const loud = { isSet: async () => true, check: async () => said, perform: async () => said, cancel: async () => said }
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }, () => 0)
  const metrics = makeMetrics([])
  metrics.close()
  await makeTellingEndpoint({ endpoint: loud, tell: makeEndpointJournal(log, metrics), now: () => 0 }).check(ask, signal)
  assert.equal(log.caught(), 0)
  assert.deepEqual(Object.keys(lines[0] ?? {}), ['level', 'time', 'merchantId', 'deed', 'reason', 'ms', 'event'])
})
