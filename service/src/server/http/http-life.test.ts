import assert from 'node:assert/strict'
import { test } from 'node:test'

import { testPan } from '../../testing/pans.fixture.ts'
import { createTestPipeline, pipelineMerchantId } from '../../testing/pipeline.fixture.ts'
import type { HttpServerOptions } from './http-server.ts'
import type { PageRoute } from './page-routes.ts'
import { listenOnFreePort, post } from '../../testing/raw.fixture.ts'

const discover = '{"id":1,"method":"rpc.discover"}'

test('beyond its limit of calls in progress the service refuses at once, with 503 in JSON-RPC', async () => {
  const { open, release, reached, close } = await start({ inFlightMax: 2 })
  const clients = [await open(), await open(), await open()]
  for (const client of clients.slice(0, 2)) client.write(post('/api', discover, ['Origin: https://a.b']))
  await reached(2)
  clients[2]!.write(post('/api', discover, ['Origin: https://a.b']))
  const refused = await clients[2]!.next()
  assert.deepEqual(
    [refused.status, refused.headers.get('retry-after'), refused.headers.get('access-control-allow-origin')],
    [503, '1', 'https://a.b'],
  )
  const { id, error } = refused.said
  assert.deepEqual([id, error?.code, error?.reason, error?.retry_after], [null, -32400, 'overloaded', 1000])
  release()
  assert.deepEqual([(await clients[0]!.next()).status, (await clients[1]!.next()).status], [200, 200])
  clients[2]!.write(post('/api', discover))
  await reached(3)
  release()
  assert.equal((await clients[2]!.next()).status, 200)
  await close()
})

test('one connection may have a limited number of calls in progress, and other connections are served meanwhile', async () => {
  const { open, release, reached, close } = await start({ inFlightPerConnectionMax: 2 })
  const [greedy, other] = [await open(), await open()]
  greedy.write(post('/api', discover).repeat(3))
  await reached(2)
  other.write(post('/api', discover))
  await reached(3)
  release()
  assert.deepEqual([(await other.next()).status, (await greedy.next()).status, (await greedy.next()).status], [200, 200, 200])
  const refused = await greedy.next()
  assert.deepEqual([refused.status, refused.headers.get('retry-after'), refused.said.error?.reason], [503, '1', 'connection_busy'])
  greedy.write(post('/api', discover))
  await reached(4)
  release()
  assert.equal((await greedy.next()).status, 200)
  await close()
})

test('one address may have a limited number of calls in progress over all its connections, and none stays counted afterwards', async () => {
  const { http, open, release, reached, close } = await start({ inFlightPerAddressMax: 2 })
  const clients = [await open(), await open(), await open()]
  for (const calls of [2, 4]) {
    for (const client of clients.slice(0, 2)) client.write(post('/api', discover))
    await reached(calls)
    clients[2]!.write(post('/api', discover))
    const refused = await clients[2]!.next()
    assert.deepEqual([refused.status, refused.headers.get('retry-after'), refused.said.error?.reason], [503, '1', 'address_busy'])
    release()
    assert.deepEqual([(await clients[0]!.next()).status, (await clients[1]!.next()).status], [200, 200])
  }
  assert.equal(http.inFlight(), 0)
  await close()
})

test('drain handles requests that have arrived, refuses later ones, closes every connection, and then resolves', async () => {
  const { http, open, release, reached } = await start({})
  const [busy, idle, fresh, late, begun] = [await open(), await open(), await open(), await open(), await open()]
  for (const client of [idle, late]) {
    client.write(post('/api', discover))
    await reached(client === idle ? 1 : 2)
    release()
    assert.equal((await client.next()).status, 200)
  }
  late.write(post('/api', discover).slice(0, -5))
  begun.write(post('/api', discover).slice(0, -5))
  busy.write(post('/api', discover))
  await reached(3)
  assert.equal(http.inFlight(), 1)
  const stopped = http.drain(10_000)
  assert.equal(await idle.closed(), '')
  late.write(discover.slice(-5))
  const refused = await late.next()
  assert.deepEqual([refused.status, refused.said.error?.reason, refused.headers.get('connection')], [503, 'draining', 'close'])
  // A client that had just connected when the drain began cannot know of it: the first request of a connection is handled.
  begun.write(discover.slice(-5))
  await reached(4)
  release()
  for (const client of [busy, begun]) {
    const answered = await client.next()
    assert.deepEqual([answered.status, answered.headers.get('connection')], [200, 'close'])
  }
  assert.equal(http.inFlight(), 0)
  await stopped
  assert.equal(await fresh.closed(), '')
  await assert.rejects(open())
  await http.close()
})

test('while it moves its clients a server accepts and handles as before, and every reply closes its connection', async () => {
  const page: PageRoute = { method: 'GET', host: () => true, path: '/page', handle: () => ({ headers: {}, body: 'here' }) }
  // Read by node, which begins the second of two calls while the first is in progress.
  const { http, open, release, reached, close } = await start({}, { pages: [page], readsDirectly: false })
  const [busy, idle, pipelining] = [await open(), await open(), await open()]
  busy.write(post('/api', discover))
  pipelining.write(post('/api', discover))
  await reached(2)
  http.retireConnections()
  pipelining.write(post('/api', discover))
  await reached(3)
  release()
  const last = await busy.next()
  assert.deepEqual([last.status, last.headers.get('connection'), await busy.closed()], [200, 'close', ''])
  // Of two calls of one connection only the last reply closes it.
  assert.deepEqual([(await pipelining.next()).headers.get('connection')], ['keep-alive'])
  assert.deepEqual([(await pipelining.next()).headers.get('connection'), await pipelining.closed()], ['close', ''])
  // A connection that was idle is still served, and so is a new one.
  for (const client of [idle, await open()]) {
    client.write(post('/api', discover))
    await reached(client === idle ? 4 : 5)
    release()
    const reply = await client.next()
    assert.deepEqual(
      [reply.status, reply.said.error, reply.headers.get('connection'), await client.closed()],
      [200, undefined, 'close', ''],
    )
  }
  for (const text of [
    'GET /page HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /none HTTP/1.1\r\nHost: a\r\n\r\n',
    'OPTIONS /api HTTP/1.1\r\nHost: a\r\n\r\n',
  ]) {
    const client = await open()
    client.write(text)
    assert.deepEqual([(await client.next()).headers.get('connection'), await client.closed()], ['close', ''], text)
  }
  await close()
})

test('drain cuts off calls that do not end before the deadline', async () => {
  const { http, open, reached } = await start({})
  const stuck = await open()
  stuck.write(post('/api', discover))
  await reached(1)
  await http.drain(50)
  await assert.rejects(stuck.next(), /closed/)
  await http.close()
})

test('a client that disconnects during a request leaves no state behind', async () => {
  const { http, open, release, reached } = await start({})
  const half = await open()
  half.write(post('/api', discover).slice(0, -5))
  const gone = await open()
  gone.write(post('/api', discover))
  await reached(1)
  half.socket.destroy()
  gone.socket.destroy()
  release()
  await http.drain(10_000)
  assert.equal(http.inFlight(), 0)
  await http.close()
})

test('a call whose connection closes keeps its place before the store until it has ended, and no longer', async () => {
  let held = 0
  const takeWritePlace = () => {
    held++
    return {
      release() {
        held--
      },
    }
  }
  const { http, open, release, reached } = await start({}, {}, { takeWritePlace })
  const gone = await open()
  const create = { id: 1, method: 'cards.create', params: { card: { number: testPan, expire: '0399' } } }
  gone.write(post('/api', JSON.stringify(create), [`X-Auth: ${pipelineMerchantId}`]))
  await reached(1)
  assert.equal(held, 1)
  gone.socket.resetAndDestroy()
  while ((await http.connections()) > 0) await new Promise((resolve) => setImmediate(resolve))
  release()
  await http.drain(10_000)
  assert.equal(held, 0)
  await http.close()
})

test('a client that goes away before its reply is counted once as an abort, and never as an error', async () => {
  const aborts: string[] = []
  const hold: (() => void)[] = []
  const page: PageRoute = {
    method: 'POST',
    host: () => true,
    path: '/page',
    handle: () => new Promise((resolve) => hold.push(() => resolve({ headers: {}, body: 'here' }))),
  }
  const { http, open, release, reached, close } = await start(
    {},
    { pages: [page], onError: (cause) => assert.fail(String(cause)), onAbort: (stage) => aborts.push(stage) },
  )
  const counted = async (stages: string[]): Promise<void> => {
    while (aborts.length < stages.length || (await http.connections()) > 0) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(aborts.splice(0), stages)
  }
  const call = post('/api', discover)
  for (const leave of ['resetAndDestroy', 'destroy'] as const) {
    for (const part of [call.slice(0, -5), call.slice(0, 30), post('/page', 'body').slice(0, -2)]) {
      const client = await open()
      // The reply to the request in front of it shows that the part has arrived.
      client.write(`GET /none HTTP/1.1\r\nHost: a\r\n\r\n${part}`)
      assert.equal((await client.next()).status, 404)
      client.socket[leave]()
      // Of a request whose headers have not arrived a reset tells nothing: it might be an idle connection.
      await counted(part.length === 30 && leave === 'resetAndDestroy' ? [] : ['request'])
    }
    const calling = await open()
    calling.write(call)
    await reached(leave === 'destroy' ? 2 : 1)
    calling.socket[leave]()
    while ((await http.connections()) > 0) await new Promise((resolve) => setImmediate(resolve))
    release()
    await counted(['reply'])
    const reading = await open()
    reading.write(post('/page', 'body'))
    while (hold.length === 0) await new Promise((resolve) => setImmediate(resolve))
    reading.socket[leave]()
    await counted(['reply'])
    hold.splice(0).forEach((go) => go())
  }
  // The controls: whole requests, refused ones, and connections that close while nothing is asked of them.
  const patient = await open()
  patient.write(call)
  await reached(3)
  release()
  assert.equal((await patient.next()).status, 200)
  patient.write('GET /none HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.equal((await patient.next()).status, 404)
  patient.socket.destroy()
  const wrong = await open()
  wrong.write('nonsense\r\n\r\n')
  assert.equal((await wrong.next()).status, 400)
  wrong.socket.destroy()
  await counted([])
  await close()
})

test('one address may have a limited number of connections', async () => {
  const { open, release, reached, close } = await start({ socketsPerAddressMax: 2 })
  const [first, second, third] = [await open(), await open(), await open()]
  third.write(post('/api', discover))
  const refused = await third.next()
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  assert.equal(await third.closed(), '')
  first.socket.destroy()
  second.write(post('/api', discover))
  await reached(1)
  release()
  assert.equal((await second.next()).status, 200)
  const again = await open()
  again.write(post('/api', discover))
  await reached(2)
  release()
  assert.equal((await again.next()).status, 200)
  await close()
})

test('bodies that have not arrived in full may take a limited number of bytes together', async () => {
  const { http, open, release, reached, close } = await start({ bufferedBytesMax: 20_000 })
  const half = await open()
  half.write(post('/api', 'x'.repeat(2000), ['Content-Length: 4000']))
  const second = await open()
  second.write(post('/api', 'x'.repeat(2000), ['Content-Length: 4000']))
  const refused = await second.next()
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  await second.closed()
  half.socket.destroy()
  while ((await http.connections()) > 0) await new Promise((resolve) => setImmediate(resolve))
  const third = await open()
  third.write(post('/api', `{"id":1,"method":"rpc.discover","pad":"${'x'.repeat(2000)}"}`))
  await reached(1)
  release()
  assert.equal((await third.next()).status, 200)
  await close()
})

test('a handler that throws ends its connection and not the service', async () => {
  const failed: unknown[] = []
  const broken = await listenOnFreePort({ handle: () => Promise.reject(new Error('unforeseen')), onError: (cause) => failed.push(cause) })
  const client = await broken.open()
  client.write(post('/api', discover))
  await assert.rejects(client.next(), /closed/)
  assert.equal(failed.length, 1)
  assert.equal(broken.http.inFlight(), 0)
  await broken.close()
})

test('page routes are served beside the API, and what they throw is reported to the log only', async () => {
  const failed: unknown[] = []
  const page = (path: string, handle: PageRoute['handle']): PageRoute => ({ method: 'GET', host: () => true, path, handle })
  const pages = [
    page('/page', () => ({ headers: { 'content-type': 'text/html' }, body: '<p>here</p>' })),
    page('/broken', () => Promise.reject(new Error('secret'))),
  ]
  const { open, close } = await start({}, { pages, onError: (cause) => failed.push(cause) })
  const client = await open()
  client.write(['/page', '/broken', '/page/none'].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
  const replies = [await client.next(), await client.next(), await client.next()]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 500, 404],
  )
  assert.equal(replies[0]?.body, '<p>here</p>')
  assert.equal(replies[1]?.raw.includes('secret'), false)
  assert.equal((failed[0] as Error).message, 'secret')
  client.write('GET /page HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')
  assert.equal((await client.next()).status, 400)
  await close()
})

/** A server whose operations finish when the test releases them. */
async function start(
  bounds: HttpServerOptions['bounds'],
  more: Partial<HttpServerOptions> = {},
  pipeline: Parameters<typeof createTestPipeline>[0] = {},
) {
  const waiting: (() => void)[] = []
  const { answer, ran } = createTestPipeline(pipeline, async (method) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { method }
  })
  const listening = await listenOnFreePort({ handle: answer, ...(bounds === undefined ? {} : { bounds }), ...more })
  return {
    ...listening,
    release: () => {
      for (const go of waiting.splice(0)) go()
    },
    reached: async (calls: number) => {
      while (ran.length < calls) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
