import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { operations } from '@tessera/contract/operations'

import { createHttpServer, type HttpServer } from '../http/http-server.ts'
import { startListener, type TestReply, type TestRequest } from '../../testing/http-request.fixture.ts'
import type { HttpReply, HttpRequest } from '../http/request.ts'

import { nameAssets } from './dashboard-assets.ts'
import { dashboardRoutes } from './dashboard-routes.ts'

const received: HttpRequest[] = []
let reply: Pick<HttpReply, 'text' | 'isCompressible'> = { text: '{}' }
type Send = (request: TestRequest) => Promise<TestReply>
const servers: HttpServer[] = []
let sendPlain: Send
let sendSecure: Send
before(async () => {
  const handle = async (request: HttpRequest) => {
    received.push(request)
    request.browser?.setCookie('text')
    request.browser?.setDevice('device')
    return { status: 200 as const, retryAfterSeconds: null, requestId: '', ...reply }
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
    { 'x-auth': '65f0c0ffee0000000000cafe' },
  ]
  for (const change of strangers) assert.equal(await refusalOf(change), 'notFromDashboard', JSON.stringify(change))
})

test('the dashboard endpoint answers 415 to anything but application/json: what a form or a simple request of another page can send reads no cookie', async () => {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', cookie: 'tessera=one' }
  const body = '{"jsonrpc":"2.0","id":1,"method":"dashboard.session.get","params":{}}'
  const types = [
    'text/plain',
    'text/plain;charset=UTF-8',
    'text/plain; application/json',
    'text/plain, application/json',
    ' ',
    undefined,
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'text/json',
    'application/json-rpc',
    'application/jsonp',
    'application/json5;',
    'application/json, text/plain',
    'application/problem+json',
    'x/application/json',
  ]
  const before = received.length
  for (const from of [{}, foreign]) {
    for (const type of types) {
      const { 'content-type': _json, ...headers } = { ...good, ...from }
      const typed = type === undefined ? headers : { ...headers, 'content-type': type }
      const reply = await sendPlain({ method: 'POST', url: '/dashboard/api', headers: typed, payload: body })
      assert.deepEqual([reply.statusCode, (JSON.parse(reply.body) as { status: number }).status], [415, 415], type)
      assert.deepEqual([reply.headers['set-cookie'], reply.headers['access-control-allow-origin']], [undefined, undefined])
    }
  }
  assert.equal(received.length, before)
  // The control: the same requests as JSON are read, and only those of the dashboard's own page are not refused.
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=utf-8']) {
    assert.equal(await refusalOf({ 'content-type': type }), null)
    assert.equal(await refusalOf({ ...foreign, 'content-type': type }), 'notFromDashboard')
  }
  assert.equal(received.length, before + 8)
})

test('a page of another origin is not allowed to ask whether it may send JSON', async () => {
  const headers = { host: good.host, origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  const reply = await sendPlain({ method: 'OPTIONS', url: '/dashboard/api', headers })
  // A browser takes only a preflight with a status of 200 to 299 for an agreement.
  assert.deepEqual([reply.statusCode, reply.headers['access-control-allow-headers']], [404, undefined])
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

test('the cookies of session and device are bound to the host over https, and are never readable by scripts or sent by other sites', async () => {
  const plain = await sendPlain({ method: 'POST', url: '/dashboard/api', headers: good, payload: '{}' })
  const rest = 'Path=/; HttpOnly; SameSite=Strict'
  const halfYear = 'Max-Age=15552000'
  assert.equal(String(plain.headers['set-cookie']), `tessera=text; ${rest},tessera-device=device; ${rest}; ${halfYear}`)
  const headers = { ...good, host: 'pay.example', origin: 'https://pay.example', cookie: '__Host-tessera=one; __Host-tessera-device=two' }
  const reply = await sendSecure({ method: 'POST', url: '/dashboard/api', headers, payload: '{}' })
  const secure = [`__Host-tessera=text; ${rest}; Secure`, `__Host-tessera-device=device; ${rest}; Secure; ${halfYear}`]
  assert.equal(String(reply.headers['set-cookie']), secure.join())
  assert.deepEqual([received.at(-1)?.browser?.cookie, received.at(-1)?.browser?.device], ['one', 'two'])
  await sendSecure({
    method: 'POST',
    url: '/dashboard/api',
    headers: { ...headers, cookie: '__Host-tessera=a; __Host-tessera=b' },
    payload: '{}',
  })
  assert.equal(received.at(-1)?.browser?.cookie, null)
})

test('a reply is compressed only when its operation says that it has no secret, the browser accepts it, and it is long', async () => {
  const long = JSON.stringify({ rows: Array.from({ length: 50 }, (_, order) => ({ order, amountTiyin: 1_000_000 })) })
  const encodingOf = async (next: typeof reply, accepted: Record<string, string> = { 'accept-encoding': 'gzip, br' }) => {
    reply = next
    const sent = await sendPlain({ method: 'POST', url: '/dashboard/api', headers: { ...good, ...accepted }, payload: '{}' })
    const isZipped = sent.headers['content-encoding'] === 'gzip'
    const body = isZipped ? gunzipSync(sent.rawPayload) : sent.rawPayload
    assert.deepEqual([body.toString(), sent.headers['content-length']], [next.text, String(sent.rawPayload.length)])
    return sent.headers['content-encoding']
  }
  try {
    assert.equal(await encodingOf({ text: long, isCompressible: true }), 'gzip')
    assert.equal(await encodingOf({ text: long }), undefined)
    assert.equal(await encodingOf({ text: '{}', isCompressible: true }), undefined)
    assert.equal(await encodingOf({ text: long, isCompressible: true }, {}), undefined)
    assert.equal(await encodingOf({ text: long, isCompressible: true }, { 'accept-encoding': 'br' }), undefined)
  } finally {
    reply = { text: '{}' }
  }
})

test('operations whose replies may be compressed only read, need a session, and return no member that can hold a secret', () => {
  const compressible = Object.values(operations).filter((each) => 'isCompressible' in each)
  assert.ok(compressible.length >= 8, 'the lists of the dashboard are among them')
  for (const { name, caller, mutates, ...rest } of compressible) {
    assert.deepEqual([caller, mutates, 'role' in rest && rest.role], ['dashboard', false, 'read'], name)
    assert.deepEqual(membersOf(rest.result).filter(isSecretMember), [], name)
  }
  // The check finds the secrets of operations that have some.
  for (const contract of [operations['dashboard.session.get'], operations['dashboard.start.get'], operations['dashboard.webhooks.add']])
    assert.ok(membersOf(contract.result).some(isSecretMember), contract.name)
})

/** The names of all members of a JSON schema but numbers: the code of an error is one. */
function membersOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { type?: string }>> }
  const own = Object.entries(properties).filter(([, { type }]) => type !== 'integer' && type !== 'number')
  return [...own.map(([name]) => name), ...Object.values(schema).flatMap(membersOf)]
}

function isSecretMember(name: string): boolean {
  return /csrf|secret|password|passphrase|token$|^codes?$|key$|challenge|text|body|params/i.test(name)
}

test('the document allows nothing inline and no framing; its files are immutable', async () => {
  const page = await sendPlain({ url: '/dashboard/cards/65f0', headers: { host: 'localhost:8080' } })
  const policy = String(page.headers['content-security-policy']).split('; ')
  const rules = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", 'trusted-types tessera-worker']
  for (const rule of rules) assert.ok(policy.includes(rule), rule)
  assert.equal(page.headers['cache-control'], 'no-store')
  assert.ok(!/<script>|style=|onload/.test(page.body))
  const [, script = ''] = /src="([^"]+)"/.exec(page.body) ?? []
  const file = await sendPlain({ url: script, headers: { host: 'localhost:8080' } })
  assert.match(String(file.headers['cache-control']), /immutable/)
  const none = await sendPlain({ url: '/dashboard/assets/other.js', headers: { host: 'localhost:8080' } })
  assert.equal(none.statusCode, 404)
})
