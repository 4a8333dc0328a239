import assert from 'node:assert/strict'
import { test } from 'node:test'

import { buildAdmin } from './admin.ts'
import { makeMetrics } from './metrics.ts'

const metrics = makeMetrics([{ name: 'tessera_calls_in_flight', meaning: 'Calls being answered.', read: () => 7 }])
let ready = false
const admin = buildAdmin({ readiness: () => Promise.resolve({ ready, state: ready ? 'ready' : 'draining' }), metrics: metrics.render })

test('readiness is 200 when ready and 503 when not; health is 200 either way', async () => {
  for (const now of [true, false]) {
    ready = now
    assert.equal((await admin.inject('/readyz')).statusCode, now ? 200 : 503)
    assert.equal((await admin.inject('/healthz')).statusCode, 200)
  }
  assert.deepEqual((await admin.inject('/readyz')).json(), { ready: false, state: 'draining' })
})

test('metrics count calls by method, code and reason, and their spans in rising buckets', async () => {
  metrics.countCall({ method: 'cards.check', profile: 'spec', code: 0, reason: '', ms: 2 })
  metrics.countCall({ method: 'cards.check', profile: 'spec', code: 0, reason: '', ms: 20_000 })
  const page = (await admin.inject('/metrics')).body
  assert.match(page, /^tessera_calls_total\{method="cards\.check",profile="spec",code="0",reason=""\} 2$/m)
  assert.match(page, /^tessera_call_seconds_bucket\{method="cards\.check",le="0\.001"\} 0$/m)
  assert.match(page, /^tessera_call_seconds_bucket\{method="cards\.check",le="0\.0025"\} 1$/m)
  assert.match(page, /^tessera_call_seconds_bucket\{method="cards\.check",le="\+Inf"\} 2$/m)
  assert.match(page, /^tessera_call_seconds_count\{method="cards\.check"\} 2$/m)
  assert.match(page, /^tessera_calls_in_flight 7$/m)
  assert.match(page, /^process_resident_memory_bytes \d{7,}$/m)
})

test('every line of the metrics page is a comment or a sample', async () => {
  for (const line of (await admin.inject('/metrics')).body.trimEnd().split('\n')) {
    assert.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? [0-9.e+-]+)$/)
  }
})

test('a page of the web that resolves its name to loopback is not answered', async () => {
  assert.equal((await admin.inject({ url: '/metrics', headers: { host: 'evil.example:8081' } })).statusCode, 421)
  assert.equal((await admin.inject({ url: '/metrics', headers: { host: 'localhost:8081' } })).statusCode, 200)
})

test('nothing else is there', async () => {
  assert.equal((await admin.inject('/')).statusCode, 404)
  assert.equal((await admin.inject({ url: '/readyz', method: 'POST' })).statusCode, 404)
  metrics.close()
})
