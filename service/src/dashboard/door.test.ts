import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { buildHttp, type Http } from '../rpc/http.ts'
import type { HttpRequest } from '../rpc/request.ts'
import { noProxies } from '../rpc/client-address.ts'

import { nameAssets } from './assets.ts'
import { makeDashboardDoor } from './door.ts'

const asked: HttpRequest[] = []
let http: Http
let secure: Http
before(async () => {
  const answer = async (request: HttpRequest) => {
    asked.push(request)
    request.visitor?.keepCookie('text')
    return { status: 200 as const, retryAfterSeconds: null, requestId: '', text: '{}' }
  }
  const open = async (dashboardOrigin: string | null): Promise<Http> => {
    const assets = nameAssets(Buffer.from('script'), Buffer.from('style'))
    const door = makeDashboardDoor({ answer, assets, dashboardOrigin, formOrigin: null, proxies: noProxies })
    const opened = buildHttp({ answer: async () => assert.fail('no page calls the API'), pages: [door] })
    await opened.app.ready()
    return opened
  }
  http = await open(null)
  secure = await open('https://pay.example')
})
after(async () => {
  await http.app.close()
  await secure.app.close()
})

const good = {
  ...{ host: 'localhost:8080', origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
}

async function refusalOf(change: Record<string, string | undefined>): Promise<HttpRequest['refusal']> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries<string | undefined>({ ...good, ...change })) if (value !== undefined) headers[name] = value
  await http.app.inject({ method: 'POST', url: '/dashboard/api', headers, payload: '{}' })
  return asked.at(-1)?.refusal ?? null
}

test('the door takes the dashboard’s own pages, and whoever else is refused before anything is read', async () => {
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

test('on another host there is neither the door nor its pages', async () => {
  const before = asked.length
  for (const host of ['127.0.0.1:8080', 'api.example', 'localhost.evil.example']) {
    const door = await http.app.inject({ method: 'POST', url: '/dashboard/api', headers: { ...good, host }, payload: '{}' })
    const page = await http.app.inject({ method: 'GET', url: '/dashboard', headers: { host } })
    assert.deepEqual([door.statusCode, page.statusCode], [404, 404], host)
  }
  assert.equal(asked.length, before)
})

test('the session’s cookie is held to the host over https, and is out of reach of scripts and other sites everywhere', async () => {
  const plain = await http.app.inject({ method: 'POST', url: '/dashboard/api', headers: good, payload: '{}' })
  assert.equal(plain.headers['set-cookie'], 'tessera=text; Path=/; HttpOnly; SameSite=Strict')
  const headers = { ...good, host: 'pay.example', origin: 'https://pay.example', cookie: '__Host-tessera=one' }
  const reply = await secure.app.inject({ method: 'POST', url: '/dashboard/api', headers, payload: '{}' })
  assert.equal(reply.headers['set-cookie'], '__Host-tessera=text; Path=/; HttpOnly; SameSite=Strict; Secure')
  assert.equal(asked.at(-1)?.visitor?.cookie, 'one')
  await secure.app.inject({
    method: 'POST',
    url: '/dashboard/api',
    headers: { ...headers, cookie: '__Host-tessera=a; __Host-tessera=b' },
    payload: '{}',
  })
  assert.equal(asked.at(-1)?.visitor?.cookie, null)
})

test('the document allows nothing inline and nobody’s frame; its files never change under their names', async () => {
  const page = await http.app.inject({ method: 'GET', url: '/dashboard/cards/65f0', headers: { host: 'localhost:8080' } })
  const policy = String(page.headers['content-security-policy']).split('; ')
  const rules = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"]
  for (const rule of rules) assert.ok(policy.includes(rule), rule)
  assert.equal(page.headers['cache-control'], 'no-store')
  assert.ok(!/<script>|style=|onload/.test(page.body))
  const [, script = ''] = /src="([^"]+)"/.exec(page.body) ?? []
  const file = await http.app.inject({ method: 'GET', url: script, headers: { host: 'localhost:8080' } })
  assert.match(String(file.headers['cache-control']), /immutable/)
  const none = await http.app.inject({ method: 'GET', url: '/dashboard/assets/other.js', headers: { host: 'localhost:8080' } })
  assert.equal(none.statusCode, 404)
})
