import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createAdminServer } from '../../server/http/admin-server.ts'
import { startListener } from '../../testing/http-request.fixture.ts'
import { healthRoutes } from './health-routes.ts'
import { makeMetrics } from '../metrics/metrics.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

const metrics = makeMetrics(makeHandClock(), [{ name: 'tessera_requests_in_flight', help: 'Requests in progress.', read: () => 7 }])
let ready = false
const admin = createAdminServer(
  healthRoutes({ readiness: () => Promise.resolve({ ready, state: ready ? 'ready' : 'draining' }), metrics: metrics.render }),
  { isLoopback: true, token: null, tls: null },
  (err) => assert.fail(String(err)),
)
const send = await startListener(admin)
after(() => admin.close())

test('readiness is 200 when ready and 503 when not; health is 200 either way', async () => {
  for (const now of [true, false]) {
    ready = now
    assert.equal((await send('/readyz')).statusCode, now ? 200 : 503)
    assert.equal((await send('/healthz')).statusCode, 200)
  }
  assert.deepEqual((await send('/readyz')).json(), { ready: false, state: 'draining' })
})

test('metrics count requests by method, code and reason, and their durations in buckets', async () => {
  metrics.countRequest({ method: 'cards.check', profile: 'spec', code: 0, reason: '', ms: 2 })
  metrics.countRequest({ method: 'cards.check', profile: 'spec', code: 0, reason: '', ms: 20_000 })
  const page = (await send('/metrics')).body
  assert.match(page, /^tessera_requests_total\{method="cards\.check",profile="spec",code="0",reason=""\} 2$/m)
  assert.match(page, /^tessera_request_duration_seconds_bucket\{method="cards\.check",le="0\.001"\} 0$/m)
  assert.match(page, /^tessera_request_duration_seconds_bucket\{method="cards\.check",le="0\.0025"\} 1$/m)
  assert.match(page, /^tessera_request_duration_seconds_bucket\{method="cards\.check",le="\+Inf"\} 2$/m)
  assert.match(page, /^tessera_request_duration_seconds_count\{method="cards\.check"\} 2$/m)
  assert.match(page, /^tessera_requests_in_flight 7$/m)
  assert.match(page, /^process_resident_memory_bytes \d{7,}$/m)
})

test('every line of the metrics page is a comment or a sample', async () => {
  for (const line of (await send('/metrics')).body.trimEnd().split('\n')) {
    assert.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? [0-9.e+-]+)$/)
  }
})

test('a web page whose host name resolves to loopback is refused (DNS rebinding)', async () => {
  assert.equal((await send({ url: '/metrics', headers: { host: 'evil.example:8081' } })).statusCode, 421)
  assert.equal((await send({ url: '/metrics', headers: { host: 'localhost:8081' } })).statusCode, 200)
})

test('unknown paths and methods are 404', async () => {
  assert.equal((await send('/')).statusCode, 404)
  assert.equal((await send({ url: '/readyz', method: 'POST' })).statusCode, 404)
  metrics.close()
})
