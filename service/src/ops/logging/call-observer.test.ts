import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeAbortObserver, makeCallObserver } from './observers.ts'
import { makeLog } from './log.ts'
import { makeMetrics } from '../metrics/metrics.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

const lines: string[] = []
const log = makeLog('info', { write: (line) => lines.push(line) }, () => 0)
const metrics = makeMetrics(makeHandClock())
const observer = makeCallObserver(log, metrics)
metrics.close()

function last(): Record<string, unknown> {
  return JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>
}

const call = {
  requestId: '0123456789abcdef01234567',
  method: 'cards.create',
  profile: 'spec',
  merchantId: null,
  callerKind: null,
  origin: 'https://shop.example',
  hasCardNumber: true,
  error: null,
  ms: 1,
  sinceHeadMs: 2,
  bytes: 120,
} as const

test('a call is one line with the code of the reply in its profile', () => {
  observer.completed({ ...call, error: 'cardNumberCheckDigit' })
  const spec = last()
  observer.completed({ ...call, error: 'cardNumberCheckDigit', profile: 'subscribe' })
  const subscribe = last()
  assert.deepEqual([spec.event, spec.code, spec.reason, spec.ms, spec.bytes], ['request', -31050, 'card_number_check_digit', 1, 120])
  assert.equal(subscribe.code, -31300)
  assert.ok(!('merchantId' in spec))
})

test('a result is counted with code 0, and an unknown method as unknown', async () => {
  observer.completed(call)
  observer.completed({ ...call, method: null, error: 'methodNotFound' })
  assert.match(await metrics.render(), /tessera_requests_total\{method="cards\.create",profile="spec",code="0",reason=""\} 1/)
  assert.match(
    await metrics.render(),
    /tessera_requests_total\{method="unknown",profile="spec",code="-32601",reason="method_not_found"\} 1/,
  )
})

test('a client that goes away is counted by stage, and is a debug line and no error', async () => {
  const written: string[] = []
  const onAbort = makeAbortObserver(
    makeLog('debug', { write: (line) => written.push(line) }, () => 0),
    metrics,
  )
  onAbort('request')
  onAbort('reply')
  const { level, event, stage } = JSON.parse(written[1] ?? '') as Record<string, unknown>
  assert.deepEqual([written.length, level, event, stage], [2, 'debug', 'client_aborted', 'reply'])
  assert.match(await metrics.render(), /tessera_client_aborts_total\{stage="request"\} 1\ntessera_client_aborts_total\{stage="reply"\} 1\n/)
})

test('an unexpected error is an error line with the request id of the reply', () => {
  observer.failed({ requestId: call.requestId, method: 'cards.create', error: 'internalError', cause: new TypeError('x is no function') })
  const line = last()
  assert.deepEqual(
    [line.level, line.event, line.requestId, line.reason, (line.err as { name: string }).name],
    ['error', 'request_failed', call.requestId, 'internal_error', 'TypeError'],
  )
})

test('a full disk is a warning: the service still reads', () => {
  observer.failed({ requestId: call.requestId, method: 'cards.create', error: 'storeFull', cause: new Error('full') })
  assert.equal(last().level, 'warn')
})

test('with sampling the first of so many results is written, with the number left out before it, and every error', async () => {
  const written: string[] = []
  const counting = makeMetrics(makeHandClock())
  const sampling = makeCallObserver(
    makeLog('info', { write: (line) => written.push(line) }, () => 0),
    counting,
    3,
  )
  for (let i = 0; i < 4; i++) sampling.completed(call)
  sampling.completed({ ...call, error: 'cardNumberCheckDigit' })
  for (let i = 0; i < 3; i++) sampling.completed(call)
  counting.close()
  const lines = written.map((line) => JSON.parse(line) as { code: number; suppressed?: number })
  assert.deepEqual(
    lines.map(({ code, suppressed }) => [code, suppressed]),
    [
      [0, undefined],
      [0, 2],
      [-31050, undefined],
      [0, 2],
    ],
  )
  const page = await counting.render()
  assert.match(page, /^tessera_log_lines_sampled_out_total 4$/m)
  assert.match(page, /^tessera_requests_total\{method="cards\.create",profile="spec",code="0",reason=""\} 7$/m)
})
