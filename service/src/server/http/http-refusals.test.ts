import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestPipeline } from '../../testing/pipeline.fixture.ts'
import { testPan } from '../../testing/pans.fixture.ts'
import { listenOnFreePort, post, type RawClient } from '../../testing/raw.fixture.ts'

const discover = '{"id":1,"method":"rpc.discover"}'
let release: () => void = () => undefined
const { answer, ran } = createTestPipeline({}, async (method, { profile }) => {
  if (profile === 'spec') await new Promise<void>((resolve) => (release = resolve))
  return { method }
})
const app = await listenOnFreePort({ handle: answer })
const hasty = await listenOnFreePort({ handle: answer, bounds: { headersTimeoutMs: 150, requestTimeoutMs: 300 } })
after(() => Promise.all([app.close(), hasty.close()]))

const head = 'Host: a\r\n'
const framed = `Content-Length: ${discover.length}\r\n\r\n${discover}`

test('ambiguous requests are refused, and the connection closes', async () => {
  const cases: [what: string, text: string][] = [
    ['two hosts', `POST /api HTTP/1.1\r\nHost: a\r\nhost: a\r\n${framed}`],
    ['no host', `POST /api HTTP/1.1\r\n${framed}`],
    ['two hosts in HTTP/1.0', `POST /api HTTP/1.0\r\nHost: a\r\nHost: b\r\n${framed}`],
    ['a whole URL', `POST http://a/api HTTP/1.1\r\n${head}${framed}`],
    ['a whole URL of another host', `GET http://evil.example/ HTTP/1.1\r\n${head}\r\n`],
    ['no path', `OPTIONS * HTTP/1.1\r\n${head}\r\n`],
    ['CONNECT', `CONNECT a:443 HTTP/1.1\r\n${head}\r\n`],
    ['GET with a body', `GET /api HTTP/1.1\r\n${head}${framed}`],
    ['HEAD with a chunked body', `HEAD /api HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['OPTIONS with a body', `OPTIONS /api HTTP/1.1\r\n${head}${framed}`],
    ['both framings', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n${framed}`],
    ['both framings, the other way', `POST /api HTTP/1.1\r\n${head}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`],
    ['two lengths', `POST /api HTTP/1.1\r\n${head}Content-Length: 5\r\n${framed}`],
    ['two equal lengths', `POST /api HTTP/1.1\r\n${head}Content-Length: ${discover.length}\r\n${framed}`],
    ['a list of lengths', `POST /api HTTP/1.1\r\n${head}Content-Length: 32, 32\r\n\r\n${discover}`],
    ['a signed length', `POST /api HTTP/1.1\r\n${head}Content-Length: +32\r\n\r\n${discover}`],
    ['a negative length', `POST /api HTTP/1.1\r\n${head}Content-Length: -1\r\n\r\n`],
    ['a length in hex', `POST /api HTTP/1.1\r\n${head}Content-Length: 0x20\r\n\r\n${discover}`],
    ['a length too great to be one', `POST /api HTTP/1.1\r\n${head}Content-Length: 99999999999999999999999\r\n\r\n`],
    ['an unknown coding', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunked not last', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['a coding before chunked', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['chunked twice', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunked in HTTP/1.0', `POST /api HTTP/1.0\r\n${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a blank before the colon', `POST /api HTTP/1.1\r\n${head}Content-Length : 32\r\n\r\n${discover}`],
    ['a coding with a blank before the colon', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['a folded header', `POST /api HTTP/1.1\r\n${head}X-A: 1\r\n Transfer-Encoding: chunked\r\n${framed}`],
    ['a folded first header', `POST /api HTTP/1.1\r\n X-A: 1\r\n${head}${framed}`],
    ['a header without a name', `POST /api HTTP/1.1\r\n${head}: 1\r\n${framed}`],
    ['a header without a colon', `POST /api HTTP/1.1\r\n${head}nonsense\r\n${framed}`],
    ['a zero byte in a header', `POST /api HTTP/1.1\r\n${head}X-A: a\0b\r\n${framed}`],
    ['a bare return', `POST /api HTTP/1.1\r\n${head}X-A: a\rb: c\r\n${framed}`],
    ['another version', `POST /api HTTP/1.7\r\n${head}${framed}`],
    ['version 2', `POST /api HTTP/2.0\r\n${head}${framed}`],
    ['no version', `POST /api\r\n${head}${framed}`],
    ['an unknown method', `PAY /api HTTP/1.1\r\n${head}${framed}`],
    ['a method in lower case', `post /api HTTP/1.1\r\n${head}${framed}`],
    ['no HTTP', `${discover}\r\n\r\n`],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001'],
    ['a chunk size that is none', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['a negative chunk size', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n-5\r\n`],
    ['a chunk longer than its size', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n2\r\nabcdef\r\n0\r\n\r\n`],
    ['a chunk size too great to be one', `POST /api HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`],
  ]
  const before = ran.length
  for (const [what, text] of cases) {
    const client = await app.open()
    client.write(text)
    const reply = await client.next(!text.startsWith('HEAD'))
    if (text.startsWith('HEAD')) {
      assert.deepEqual([reply.status, await client.closed()], [400, ''])
      continue
    }
    const { status, title, detail } = reply.said
    assert.deepEqual([reply.status, status, title], [400, 400, 'Bad Request'], what)
    assert.equal(reply.headers.get('content-type'), 'application/problem+json', what)
    assert.ok(detail !== undefined && detail.length > 20, what)
    assert.equal(await client.closed(), '', what)
  }
  assert.equal(ran.length, before, 'none of them reached a method')
})

test('a refusal has its reason', async () => {
  const cases: [text: string, word: RegExp][] = [
    [`POST /api HTTP/1.1\r\nHost: a\r\nHost: b\r\n${framed}`, /more than one Host/],
    [`POST /api HTTP/1.1\r\n${framed}`, /one Host header/],
    [`POST http://a/api HTTP/1.1\r\n${head}${framed}`, /a path, not a whole URL/],
    [`GET /api HTTP/1.1\r\n${head}${framed}`, /no body/],
    [`POST /api HTTP/1.1\r\n${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, /length of the body/],
  ]
  for (const [text, word] of cases) {
    const client = await app.open()
    client.write(text)
    assert.match((await client.next()).said.detail ?? '', word)
  }
})

test('headers beyond 16 KiB or 256 fields are 431', async () => {
  for (const headers of [`X-A: ${'x'.repeat(17_000)}\r\n`, 'X-A: 1\r\n'.repeat(300), 'a:\r\n'.repeat(3000)]) {
    const client = await app.open()
    client.write(`POST /api HTTP/1.1\r\n${head}${headers}${framed}`)
    assert.equal((await client.next()).status, 431)
    await client.closed()
  }
})

test('requests in one packet get their replies in order, also when the first takes longest', async () => {
  const client = await app.open()
  client.write(post('/api/rpc.discover', discover) + [2, 3, 4].map((id) => post('/api', `{"id":${id},"method":"rpc.discover"}`)).join(''))
  await reached()
  release()
  const ids = []
  for (let i = 0; i < 4; i++) ids.push((await client.next()).said.id)
  assert.deepEqual(ids, [1, 2, 3, 4])
})

test('the refusal of a broken request does not overtake the responses before it', async () => {
  for (const broken of ['nonsense\r\n\r\n', post('/api', 'zz\r\n', ['Transfer-Encoding: chunked'])]) {
    const client = await app.open()
    client.write(post('/api/rpc.discover', discover) + post('/api', discover.replace('1', '2')) + broken)
    await reached()
    release()
    const replies = [await client.next(), await client.next(), await client.next()]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 400],
    )
    assert.deepEqual([replies[0]!.said.id, replies[1]!.said.id], [1, 2])
    assert.equal(await client.closed(), '')
  }
})

const oversized = post('/api', `11170\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`, ['Transfer-Encoding: chunked'])

test('nothing that follows a refused request on its connection is run', async () => {
  const before = ran.length
  for (const first of [
    `GET /api HTTP/1.1\r\n${head}Content-Length: 3\r\n\r\nabc`,
    'nonsense\r\n\r\n',
    post('/api', '', ['Content-Length: 70000']) + 'x'.repeat(70_000),
    oversized,
  ]) {
    const client = await app.open()
    client.write(first + post('/api', discover))
    assert.notEqual((await client.next()).status, 200)
    await client.closed()
  }
  assert.equal(ran.length, before)
})

test('a request that arrives too slowly, in headers or body, or not at all, is 408', async () => {
  const starts = ['', 'POST /api HT', `POST /api HTTP/1.1\r\n${head}X-A`, post('/api', '{"id"', ['Content-Length: 32'])]
  const clients: RawClient[] = []
  for (const start of starts) {
    const client = await hasty.open()
    client.write(start)
    clients.push(client)
  }
  for (const [i, client] of clients.entries()) {
    const reply = await client.next()
    assert.deepEqual([reply.status, reply.said.title, reply.headers.get('connection')], [408, 'Request Timeout', 'close'], starts[i])
    await client.closed()
  }
})

test('a call that runs longer than the request timeout is not cut off', async () => {
  const client = await hasty.open()
  client.write(post('/api/rpc.discover', discover))
  const slow = await hasty.open()
  assert.equal((await slow.next()).status, 408)
  release()
  assert.equal((await client.next()).status, 200)
})

test('no refusal repeats the request', async () => {
  for (const text of [
    `POST /${testPan} HTTP/1.1\r\n${head}${framed}`,
    `POST http://a/${testPan} HTTP/1.1\r\n${head}${framed}`,
    `${testPan} / HTTP/1.1\r\n\r\n`,
    `POST /api HTTP/1.1\r\n${head}X-${testPan} : 1\r\n\r\n`,
    post('/api', `z${testPan}\r\n`, ['Transfer-Encoding: chunked']),
  ]) {
    const client = await app.open()
    client.write(text)
    const { status, raw } = await client.next()
    assert.ok(status >= 400 && !raw.includes(testPan), raw)
  }
})

/** Resolves when the slow method has been called. */
async function reached(): Promise<void> {
  const before = release
  while (release === before) await new Promise((resolve) => setImmediate(resolve))
}
