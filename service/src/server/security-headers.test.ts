// needs: build
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { dashboardOperations, publicOperations } from '@tessera/contract/operations'

import { adaptersOf, type Adapters } from '../app/adapters.ts'
import { dashboardFolder, formFolder } from '../app/built-files.ts'
import { createHttp, listPages } from '../app/http.ts'
import { healthRoutes } from '../ops/health/health-routes.ts'
import { defaultConfig } from '../testing/default-config.fixture.ts'
import { gradeHeaders, headerRules, type GradedReply, type ReplyKind } from '../testing/grade-headers.fixture.ts'
import { startListener, type TestReply, type TestRequest } from '../testing/http-request.fixture.ts'
import { alarmLog, createTestApp, noMetrics } from '../testing/test-app.fixture.ts'

import { makeSessionCookie } from './auth/session-cookie.ts'
import { createAdminServer } from './http/admin-server.ts'
import { readDashboardAssets } from './pages/dashboard-assets.ts'
import { hostedHeaders } from './pages/form-headers.ts'
import { readFormAssets } from './pages/form-assets.ts'

const assetNames = [...readDashboardAssets(dashboardFolder).files.keys()]
const hosts = { form: 'form.example', dashboard: 'dashboard.example', api: 'api.example' }
const httpsOrigins = { formOrigin: 'https://form.example', dashboardOrigin: 'https://dashboard.example', apiOrigin: 'https://api.example' }
const httpOrigins = { formOrigin: 'http://form.example', dashboardOrigin: 'http://dashboard.example', apiOrigin: 'http://api.example' }
/** Pages that other pages embed. The rest opens in a window of its own. */
const framed = new Set(['/form/v1', '/form/v1/preview'])

for (const [scheme, origins] of Object.entries({ https: httpsOrigins, http: httpOrigins }))
  test(`every page, file and reply has the security headers of its kind, reached by ${scheme}`, async (t) => {
    const isHttps = scheme === 'https'
    const { send, routes, merchantId } = await startService(t, origins)
    const graded = new Map<ReplyKind, number>()
    const grade = async (request: TestRequest, path = request.url): Promise<TestReply> => {
      const reply = await send(request)
      const kind = kindOf(path, reply)
      const name = `${request.method ?? 'GET'} ${request.url} at ${request.headers?.['host'] ?? ''} (${String(reply.statusCode)}, ${kind})`
      assert.deepEqual(gradeHeaders({ kind, headers: reply.headers, isHttps }), [], name)
      if (!isHttps) assert.equal(reply.headers['strict-transport-security'], undefined, name)
      graded.set(kind, (graded.get(kind) ?? 0) + 1)
      return reply
    }
    for (const { host, path, method } of routes) {
      const served = Object.values(hosts).find((each) => host(each)) ?? assert.fail(path)
      const headers = { host: served, 'content-type': 'application/json' }
      const urls = path.endsWith(':name') ? assetNames.map((name) => path.replace(':name', name)) : [path.replace('*', 'cards')]
      const queries = path.startsWith('/form/v1')
        ? ['', `?merchant=${merchantId}&origin=https://shop.example`, `?merchant=${'0'.repeat(24)}`]
        : ['']
      const payload = method === 'POST' ? '{}' : ''
      for (const url of urls) for (const query of queries) await grade({ url: url + query, method, headers, payload }, path)
    }
    for (const method of Object.keys(dashboardOperations))
      await grade({
        url: '/dashboard/api',
        method: 'POST',
        headers: { host: hosts.dashboard, 'content-type': 'application/json' },
        payload: rpc(method),
      })
    assert.equal(
      (await grade({ url: '/dashboard/api', method: 'POST', headers: { host: hosts.dashboard }, payload: '{}' })).statusCode,
      415,
    )
    for (const method of Object.keys(publicOperations))
      await grade({
        url: `/api/${method}`,
        method: 'POST',
        headers: { host: hosts.api, origin: 'https://shop.example' },
        payload: rpc(method),
      })
    const statuses = []
    for (const request of [
      { url: '/api', method: 'OPTIONS', headers: { host: hosts.api, origin: 'https://shop.example' } },
      { url: '/api', headers: { host: hosts.api } },
      { url: '/api', method: 'POST', headers: { host: hosts.dashboard }, payload: rpc('rpc.discover') },
      { url: '/api', method: 'POST', headers: { host: hosts.api }, payload: ' '.repeat(70_000) },
      { url: '/dashboard/api', method: 'POST', headers: { host: hosts.dashboard }, payload: ' '.repeat(70_000) },
      { url: '/none', headers: { host: hosts.form } },
      { url: '/', headers: { host: hosts.form, 'transfer-encoding': 'chunked' } },
    ])
      statuses.push((await grade(request)).statusCode)
    assert.deepEqual(statuses, [204, 200, 421, 413, 413, 404, 400])
    assert.deepEqual([...graded.keys()].sort(), ['data', 'file', 'frame', 'page', 'public'])
  })

test('the replies to monitoring have the headers of data, and no HSTS, which would concern other programs of the host', async (t) => {
  const routes = healthRoutes({ readiness: async () => ({ ready: true }), metrics: async () => 'tessera_ready 1\n' })
  const admin = createAdminServer(routes, { isLoopback: true, token: 't'.repeat(32), tls: null }, (err) => assert.fail(String(err)))
  t.after(() => admin.close())
  const send = await startListener(admin)
  const statuses = []
  for (const url of [...routes.map(({ path }) => path), '/none'])
    for (const headers of [{ authorization: `Bearer ${'t'.repeat(32)}` }, { host: 'evil.example' }, {}]) {
      const reply = await send({ url, headers })
      assert.deepEqual(gradeHeaders({ kind: 'data', headers: reply.headers, isHttps: false }), [], url)
      assert.equal(reply.headers['strict-transport-security'], undefined)
      statuses.push(reply.statusCode)
    }
  assert.deepEqual([...new Set(statuses)].sort(), [200, 401, 404, 421])
})

test('the control: the grader finds each header that is missing or weak, by the rule that is about it', () => {
  const page: Record<string, string> = {
    ...hostedHeaders,
    'content-security-policy': "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'strict-transport-security': 'max-age=31536000',
    'set-cookie': makeSessionCookie(true).write('value'),
  }
  const faultsOf = (kind: ReplyKind, changes: Record<string, string | undefined>, isHttps = true): string[] =>
    gradeHeaders({ kind, headers: { ...page, ...changes }, isHttps } satisfies GradedReply)
  assert.deepEqual(faultsOf('page', {}), [])
  const policy = (text: string): Record<string, string> => ({ 'content-security-policy': text })
  const basics = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  const weak: [string, ReplyKind, Record<string, string | undefined>][] = [
    ['https only', 'page', { 'strict-transport-security': undefined }],
    ['https only', 'data', { 'strict-transport-security': 'max-age=300' }],
    ['content type', 'data', { 'x-content-type-options': undefined }],
    ['no software named', 'data', { server: 'node' }],
    ['cross-origin resources', 'page', { 'cross-origin-resource-policy': undefined }],
    ['cross-origin resources', 'data', { 'cross-origin-resource-policy': 'cross-origin' }],
    ['not cached', 'page', { 'cache-control': 'private' }],
    ['caching stated', 'file', { 'cache-control': undefined }],
    ['no referrer', 'page', { 'referrer-policy': 'unsafe-url' }],
    ['nothing allowed by default', 'page', policy(`default-src 'self'; ${basics}`)],
    ['framing stated', 'page', policy(`default-src 'none'; base-uri 'none'; form-action 'none'`)],
    ['framing stated', 'page', policy(`default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors https://shop.example`)],
    ['framing stated', 'frame', policy(`default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *`)],
    ['no inline code', 'page', policy(`default-src 'none'; script-src 'unsafe-inline'; ${basics}`)],
    ['no inline code', 'page', policy(`default-src 'none'; style-src *; ${basics}`)],
    ['no base, no form target', 'page', policy(`default-src 'none'; frame-ancestors 'none'; form-action 'none'`)],
    ['browser features denied', 'page', { 'permissions-policy': 'camera=()' }],
    ['own window group', 'page', { 'cross-origin-opener-policy': 'unsafe-none' }],
    ['cookies are bound', 'page', { 'set-cookie': 'tessera=value; Path=/; HttpOnly; SameSite=Strict' }],
    ['cookies are bound', 'page', { 'set-cookie': '__Host-tessera=value; Path=/; SameSite=Strict; Secure' }],
  ]
  for (const [rule, kind, changes] of weak) {
    const before = faultsOf(kind, {})
    assert.deepEqual(
      faultsOf(kind, changes).filter((name) => !before.includes(name)),
      before.includes(rule) ? [] : [rule],
      `${rule}: ${JSON.stringify(changes)}`,
    )
    assert.ok(faultsOf(kind, changes).includes(rule), rule)
  }
  assert.deepEqual([...new Set(weak.map(([rule]) => rule))].sort(), Object.keys(headerRules).sort(), 'each rule has its control')
})

async function startService(t: TestContext, origins: typeof httpsOrigins) {
  const config = { ...defaultConfig, ...origins }
  const { app, merchants } = await createTestApp(t, { config: origins })
  const merchantId = 'a'.repeat(24)
  await merchants.ensureMerchant({ id: merchantId, name: 'Shop', password: 'public' })
  const pipelines = { api: app.handle, dashboard: app.handleDashboard, operator: app.handleOperator }
  const deps = { pipelines, formAssets: readFormAssets(formFolder), tls: null, log: alarmLog([]), metrics: noMetrics }
  const adapters = adaptersOf.test as Adapters
  const http = createHttp(config, adapters, app.services, deps)
  t.after(() => http.close())
  return { send: await startListener(http), routes: listPages(config, adapters, app.services, deps), merchantId }
}

function kindOf(path: string, { headers, statusCode }: TestReply): ReplyKind {
  const type = headers['content-type'] ?? ''
  if (type.startsWith('text/html')) return framed.has(path) || (statusCode >= 400 && path.startsWith('/form/')) ? 'frame' : 'page'
  if (headers['access-control-allow-origin'] === '*') return 'public'
  return path.startsWith('/dashboard/assets/') || /^\/form\/v1\/\w+-[0-9a-f]{16}\.js$/.test(path) ? 'file' : 'data'
}

function rpc(method: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} })
}
