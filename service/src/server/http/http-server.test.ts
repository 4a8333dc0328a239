import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { pipelineMerchantId, password, createTestPipeline, shopOrigin } from '../../testing/pipeline.fixture.ts'
import { listenOnFreePort, post, type RawReply } from '../../testing/raw.fixture.ts'
import type { HttpRequest } from './request.ts'
import { testPan } from '../../testing/pans.fixture.ts'

const token = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'
const xAuth = `X-Auth: ${pipelineMerchantId}`
const discover = '{"id":1,"method":"rpc.discover"}'
const received: HttpRequest[] = []
const { answer } = createTestPipeline({ origins: { isAnyAllowed: true, formOrigin: null } })
const app = await listenOnFreePort({
  handle: (request) => {
    received.push({ ...request, body: Buffer.from(request.body) })
    return answer(request)
  },
})
after(() => app.close())

test('a reply is HTTP 200 with JSON, not cacheable, and the connection stays open', async () => {
  const client = await app.open()
  for (const text of [
    post('/api/rpc.discover', discover),
    post('/api', '{'),
    post('/api/', discover),
    post('/api/nope', '{"method":"nope"}'),
  ]) {
    client.write(text)
    const { status, headers, said } = await client.next()
    assert.deepEqual([status, said.jsonrpc], [200, '2.0'])
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('connection'), 'keep-alive')
    assert.equal(headers.get('vary'), 'Origin')
    assert.equal(headers.has('access-control-allow-origin'), false)
  }
})

test('any content type is accepted, and none', async () => {
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'application/json-rpc', 'nonsense;;=', ''])
    assert.equal(reasonOf(await once(post('/api', discover, [`Content-Type: ${type}`]))), null, type)
  assert.equal(reasonOf(await once(post('/api', discover))), null)
})

test('any Host is accepted: the API uses no cookies', async () => {
  const reply = await once(post('/api', discover).replace('Host: 127.0.0.1', 'Host: elsewhere.example:99'))
  assert.equal(reasonOf(reply), null)
})

test('every HTTP method but POST and OPTIONS gets the error not_post, with or without a body', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'QUERY', 'PROPFIND'])
    for (const path of ['/api', '/api/cards.create']) {
      const reply = await once(`${method} ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
      assert.deepEqual([reply.status, reply.said.error?.code], [200, -32300], method)
    }
  const put = await once(post('/api', discover).replace('POST', 'PUT'))
  assert.equal(reasonOf(put), 'not_post')
  const client = await app.open()
  client.write('HEAD /api HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.equal((await client.next(false)).status, 200)
})

test('the path names the method letter for letter: nothing is decoded, folded or trimmed', async () => {
  const spellings: [path: string, outcome: unknown][] = [
    ['/api/cards.check', null],
    ['/api/cards%2Echeck', 'path_mismatch'],
    ['/api/cards%2echeck', 'path_mismatch'],
    ['/api/%63ards.check', 'path_mismatch'],
    ['/api/Cards.check', 'path_mismatch'],
    ['/api/CARDS.CHECK', 'path_mismatch'],
    ['/api/cards.check%20', 'path_mismatch'],
    ['/api/cards.check%00', 'path_mismatch'],
    ['/api/cards.check;v=1', 'path_mismatch'],
    ['/api/cards.check,', 'path_mismatch'],
    ['/api/cards.remove', 'path_mismatch'],
    ['/api/cards.chec', 'path_mismatch'],
    ['/api/cards.check.', 'path_mismatch'],
    ['/api/..', 'path_mismatch'],
    ['/api/%2e%2e', 'path_mismatch'],
    ['/api/%zz', 'path_mismatch'],
    ['/api/cards.check?', 'query_not_allowed'],
    ['/api/cards.check?a=1', 'query_not_allowed'],
    ['/api/?a', 'query_not_allowed'],
    ['/api?', 'query_not_allowed'],
    ['/api/cards.check/', 404],
    ['/api//cards.check', 404],
    ['/api/./cards.check', 404],
    ['/api/../api/cards.check', 404],
    ['//api/cards.check', 404],
    ['/API/cards.check', 404],
    ['/api%2Fcards.check', 404],
    ['/apicards.check', 404],
    ['/', 404],
    ['/%', 404],
  ]
  const body = JSON.stringify({ id: 1, method: 'cards.check', params: { token } })
  for (const [path, outcome] of spellings) {
    const reply = await once(post(path, body, [`${xAuth}:${password}`]))
    assert.equal(reply.status === 200 ? reasonOf(reply) : reply.status, outcome, path)
  }
})

test('an unknown path is 404 with a reason, and its body is not read', async () => {
  const reply = await once(post('/api/v2/cards.create', '{"pan":', ['Content-Type: application/json']))
  assert.deepEqual([reply.status, reply.headers.get('content-type')], [404, 'application/problem+json'])
  const { title, status, detail } = reply.said
  assert.deepEqual([title, status], ['Not Found', 404])
  assert.match(detail ?? '', /\/api/)
  const client = await app.open()
  client.write(post('/nowhere', 'x'.repeat(5000)) + post('/api', discover))
  assert.deepEqual([(await client.next()).status, (await client.next()).status], [404, 200])
})

test('header names are case-insensitive, and X-Auth is trimmed', async () => {
  await once(post('/api', discover, [`x-AUTH: \t ${pipelineMerchantId}:${password} \t`, 'ACCEPT-LANGUAGE: ru', 'ORIGIN: https://a.b']))
  const { xAuth: shown, acceptLanguage, origin, isFromBrowser, idempotencyKey, address } = received.at(-1)!
  assert.deepEqual([shown, acceptLanguage, origin, isFromBrowser], [`${pipelineMerchantId}:${password}`, 'ru', 'https://a.b', true])
  assert.deepEqual([idempotencyKey, address], [null, '127.0.0.1'])
  await once(post('/api', discover, ['Sec-Fetch-Site: none', 'idempotency-key: k']))
  const next = received.at(-1)!
  assert.deepEqual([next.origin, next.isFromBrowser, next.idempotencyKey], [null, true, { key: 'k' }])
})

test('two X-Auth headers count as none, equal or not', async () => {
  const body = JSON.stringify({ id: 1, method: 'cards.check', params: { token } })
  for (const second of [`${xAuth}:${password}`, 'X-Auth:', 'x-auth: 1']) {
    const reply = await once(post('/api', body, [`${xAuth}:${password}`, second]))
    assert.equal(reasonOf(reply), 'access_denied')
    assert.equal(received.at(-1)?.xAuth, null)
  }
})

test('any page may read a reply, and a preflight lists what it may send', async () => {
  const reply = await once(post('/api', discover, [`Origin: ${shopOrigin}`]))
  assert.equal(reply.headers.get('access-control-allow-origin'), shopOrigin)
  assert.equal(reply.headers.get('vary'), 'Origin')
  assert.equal(reply.headers.has('access-control-allow-credentials'), false)
  assert.equal(reply.headers.get('access-control-expose-headers'), 'x-request-id')
  assert.match(reply.headers.get('x-request-id') ?? '', /^[0-9a-f]{24}$/)
  const asks = ['Host: a', `Origin: ${shopOrigin}`, 'Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: x-auth']
  for (const path of ['/api', '/api/', '/api/cards.create']) {
    const { status, headers, body } = await once(`OPTIONS ${path} HTTP/1.1\r\n${asks.join('\r\n')}\r\n\r\n`)
    assert.deepEqual([status, body, headers.get('access-control-allow-origin')], [204, '', shopOrigin])
    assert.equal(headers.get('access-control-allow-methods'), 'POST, OPTIONS')
    assert.equal(headers.get('access-control-allow-headers'), 'content-type, x-auth, cache-control, idempotency-key, accept-language')
    assert.equal(headers.get('vary'), 'Origin')
  }
})

test('an origin is echoed as it came, whatever its scheme', async () => {
  for (const origin of ['https://a.example', 'http://127.0.0.1:8080', 'http://[::1]:3000', 'capacitor://localhost', 'null']) {
    const { headers } = await once(post('/api', discover, [`Origin: ${origin}`]))
    assert.equal(headers.get('access-control-allow-origin'), origin)
  }
})

test('an invalid Origin is not echoed', async () => {
  for (const origin of [
    'a b',
    'https://a\u00e9',
    'x'.repeat(300),
    '',
    testPan,
    `https://${testPan}.example`,
    'https://a.b/c',
    'https://a,b',
  ]) {
    const reply = await once(post('/api', discover, [`Origin: ${origin}`]))
    assert.deepEqual([reply.status, reply.headers.has('access-control-allow-origin')], [200, false], origin)
  }
})

test('a body of 64 KiB is accepted, one byte more is not, however it is framed', async () => {
  const full = discover.replace('}', `,"pad":"${'x'.repeat(64 * 1024 - discover.length - 9)}"}`)
  assert.equal(full.length, 64 * 1024)
  assert.equal(reasonOf(await once(post('/api', full))), null)
  assert.equal(reasonOf(await once(post('/api', chunked(full, 1000), ['Transfer-Encoding: chunked']))), null)
  for (const text of [post('/api', `${full} `), post('/api', chunked(`${full} `, 1000), ['Transfer-Encoding: chunked'])]) {
    const client = await app.open()
    client.write(text)
    const reply = await client.next()
    assert.deepEqual([reply.status, reply.headers.get('connection'), reply.said.status], [413, 'close', 413])
    assert.equal(await client.closed(), '')
  }
})

test('a body whose Content-Length is too long is refused before it arrives', async () => {
  const client = await app.open()
  client.write(post('/api', 'x'.repeat(10), ['Content-Length: 9999999']))
  assert.equal((await client.next()).status, 413)
  assert.equal(await client.closed(), '')
  const endless = await app.open()
  endless.write(post('/api', '', ['Content-Length: 999999999']))
  const pour = (): boolean => endless.socket.writable && endless.socket.write('x'.repeat(65_536), pour)
  pour()
  assert.equal((await endless.next()).status, 413)
  assert.equal(await endless.closed(), '')
})

test('a body that arrives in single bytes is read like any other', async () => {
  const body = JSON.stringify({ id: 1, method: 'cards.create', params: { card: { number: testPan, expire: '0399' } } })
  assert.equal(reasonOf(await once(post('/api', chunked(body, 1), ['Transfer-Encoding: chunked', xAuth]))), null)
  assert.equal(received.at(-1)?.body.toString(), body)
})

test('a request with Expect: 100-continue gets 100 Continue', async () => {
  const client = await app.open()
  client.write(post('/api', '', ['Expect: 100-continue', `Content-Length: ${discover.length}`]))
  assert.equal((await client.next()).status, 100)
  client.write(discover)
  assert.equal(reasonOf(await client.next()), null)
  client.write(post('/api', discover, ['Expect: something-else']))
  assert.equal(reasonOf(await client.next()), null)
})

function chunked(body: string, size: number): string {
  const chunks = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  return [...chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`), '0\r\n\r\n'].join('')
}

async function once(text: string): Promise<RawReply> {
  const client = await app.open()
  client.write(text)
  const reply = await client.next()
  client.socket.destroy()
  return reply
}

function reasonOf({ said }: RawReply): string | null {
  return said.error?.reason ?? null
}
