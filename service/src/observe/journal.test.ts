import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeJournal } from './journal.ts'
import { makeLog } from './log.ts'
import { makeMetrics } from './metrics.ts'

const lines: string[] = []
const log = makeLog('info', { write: (line) => lines.push(line) }, () => 0)
const metrics = makeMetrics([])
const journal = makeJournal(log, metrics)
metrics.close()

function last(): Record<string, unknown> {
  return JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>
}

const call = {
  requestId: '0123456789abcdef01234567',
  method: 'cards.create',
  profile: 'spec',
  merchantId: null,
  as: null,
  origin: 'https://shop.example',
  hasCardNumber: true,
  error: null,
  ms: 1,
  bytes: 120,
} as const

test('a call is one line with the code that its caller was told in its profile', () => {
  journal.called({ ...call, error: 'cardNumberCheckDigit' })
  const spec = last()
  journal.called({ ...call, error: 'cardNumberCheckDigit', profile: 'subscribe' })
  const subscribe = last()
  assert.deepEqual([spec.event, spec.code, spec.reason, spec.ms, spec.bytes], ['call', -31050, 'card_number_check_digit', 1, 120])
  assert.equal(subscribe.code, -31300)
  assert.ok(!('merchantId' in spec))
})

test('a result is counted with code 0, and a method that does not exist as unknown', () => {
  journal.called(call)
  journal.called({ ...call, method: null, error: 'methodNotFound' })
  assert.match(metrics.render(), /tessera_calls_total\{method="cards\.create",profile="spec",code="0",reason=""\} 1/)
  assert.match(metrics.render(), /tessera_calls_total\{method="unknown",profile="spec",code="-32601",reason="method_not_found"\} 1/)
})

test('what nobody foresaw is an error line under the id that the caller was told', () => {
  journal.failed({ requestId: call.requestId, method: 'cards.create', error: 'internalError', cause: new TypeError('x is no function') })
  const line = last()
  assert.deepEqual(
    [line.level, line.event, line.requestId, line.reason, (line.err as { name: string }).name],
    ['error', 'call_failed', call.requestId, 'internal_error', 'TypeError'],
  )
})

test('a full disk is a warning: the service goes on reading', () => {
  journal.failed({ requestId: call.requestId, method: 'cards.create', error: 'storeFull', cause: new Error('full') })
  assert.equal(last().level, 'warn')
})
