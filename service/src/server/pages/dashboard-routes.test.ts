import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { createHttpServer, type HttpServer } from '../http/http-server.ts'
import { startListener, type TestReply, type TestRequest } from '../../testing/http-request.fixture.ts'
import type { HttpRequest } from '../http/request.ts'

import { nameAssets } from './dashboard-assets.ts'
import { dashboardRoutes } from './dashboard-routes.ts'

const received: HttpRequest[] = []
type Send = (request: TestRequest) => Promise<TestReply>
const servers: HttpServer[] = []
let sendPlain: Send
let sendSecure: Send
before(async () => {
  const handle = async (request: HttpRequest) => {
    received.push(request)
    request.browser?.setCookie('text')
    return { status: 200 as const, retryAfterSeconds: null, requestId: '', text: '{}' }
  }
  const open = async (dashboardOrigin: string | null): Promise<Send> => {
    const assets = nameAssets(Buffer.from('script'), Buffer.from('style'))
    const pages = dashboardRoutes({ handle, assets, dashboardOrigin, formOrigin: null })
    const server = createHttpServer({ handle: async () => assert.fail('no page calls the API'), pages })
    servers.push(server)
    return startListener(server)
  }
  sendPlain = await open(null)
  sendSecure = await open('https://pay.example')
})
after(() => Promise.all(servers.map((server) => server.close())))

const good = {
  host: 'localhost:8080',
  origin: 'http://localhost:8080',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
}

async function refusalOf(change: Record<string, string | undefined>): Promise<HttpRequest['refusal']> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries<string | undefined>({ ...good, ...change })) if (value !== undefined) headers[name] = value
  await sendPlain({ method: 'POST', url: '/dashboard/api', headers, payload: '{}' })
  return received.at(-1)?.refusal ?? null
}

test('the dashboard endpoint accepts requests of the dashboard’s own pages only, and refuses others before reading anything', async () => {
  assert.equal(await refusalOf({}), null)
  const strangers: Record<string, string | undefined>[] = [
    { origin: 'http://localhost:9999', 'sec-fetch-site': 'same-site' },
    { origin: 'http://localhost:9999' },
    { origin: undefined },
    { 'sec-fetch-site': undefined },
    { 'sec-fetch-site': 'cross-site' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json-rpc' },
    { 'x-auth': '65f0c0ffee0000000000cafe' },
  ]
  for (const change of strangers) assert.equal(await refusalOf(change), 'notFromDashboard', JSON.stringify(change))
})

test('on another host neither the dashboard endpoint nor its pages are served', async () => {
  const before = received.length
  for (const host of ['127.0.0.1:8080', 'api.example', 'localhost.evil.example']) {
    const endpoint = await sendPlain({ method: 'POST', url: '/dashboard/api', headers: { ...good, host }, payload: '{}' })
    const page = await sendPlain({ url: '/dashboard', headers: { host } })
    assert.deepEqual([endpoint.statusCode, page.statusCode], [404, 404], host)
  }
  assert.equal(received.length, before)
})

test('the session cookie is bound to the host over https, and is never readable by scripts or sent by other sites', async () => {
  const plain = await sendPlain({ method: 'POST', url: '/dashboard/api', headers: good, payload: '{}' })
  assert.equal(plain.headers['set-cookie'], 'tessera=text; Path=/; HttpOnly; SameSite=Strict')
  const headers = { ...good, host: 'pay.example', origin: 'https://pay.example', cookie: '__Host-tessera=one' }
  const reply = await sendSecure({ method: 'POST', url: '/dashboard/api', headers, payload: '{}' })
  assert.equal(reply.headers['set-cookie'], '__Host-tessera=text; Path=/; HttpOnly; SameSite=Strict; Secure')
  assert.equal(received.at(-1)?.browser?.cookie, 'one')
  await sendSecure({
    method: 'POST',
    url: '/dashboard/api',
    headers: { ...headers, cookie: '__Host-tessera=a; __Host-tessera=b' },
    payload: '{}',
  })
  assert.equal(received.at(-1)?.browser?.cookie, null)
})

test('the document allows nothing inline and no framing; its files are immutable', async () => {
  const page = await sendPlain({ url: '/dashboard/cards/65f0', headers: { host: 'localhost:8080' } })
  const policy = String(page.headers['content-security-policy']).split('; ')
  const rules = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"]
  for (const rule of rules) assert.ok(policy.includes(rule), rule)
  assert.equal(page.headers['cache-control'], 'no-store')
  assert.ok(!/<script>|style=|onload/.test(page.body))
  const [, script = ''] = /src="([^"]+)"/.exec(page.body) ?? []
  const file = await sendPlain({ url: script, headers: { host: 'localhost:8080' } })
  assert.match(String(file.headers['cache-control']), /immutable/)
  const none = await sendPlain({ url: '/dashboard/assets/other.js', headers: { host: 'localhost:8080' } })
  assert.equal(none.statusCode, 404)
})
