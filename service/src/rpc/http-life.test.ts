import assert from 'node:assert/strict'
import { test } from 'node:test'

import { rehearse } from './door.fixture.ts'
import type { Http, HttpParts } from './http.ts'
import { listen, post } from './raw.fixture.ts'

const discover = '{"id":1,"method":"rpc.discover"}'

test('beyond the calls that it can work on the service says so at once, with 503 in JSON-RPC', async () => {
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

test('one connection has so many calls answered at once and no more, and the others are answered meanwhile', async () => {
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

test('one address has so many calls answered at once and no more, whatever its connections, and none is left counted', async () => {
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

test('a stop answers what has arrived, refuses what still comes, closes every connection, and then is done', async () => {
  const { http, open, release, reached } = await start({})
  const [busy, idle, fresh, late] = [await open(), await open(), await open(), await open()]
  idle.write(post('/api', discover))
  await reached(1)
  release()
  assert.equal((await idle.next()).status, 200)
  late.write(post('/api', discover).slice(0, -5))
  busy.write(post('/api', discover))
  await reached(2)
  assert.equal(http.inFlight(), 1)
  const stopped = http.drain(10_000)
  assert.equal(await idle.closed(), '')
  late.write(discover.slice(-5))
  const refused = await late.next()
  assert.deepEqual([refused.status, refused.said.error?.reason, refused.headers.get('connection')], [503, 'draining', 'close'])
  release()
  const answered = await busy.next()
  assert.deepEqual([answered.status, answered.headers.get('connection'), http.inFlight()], [200, 'close', 0])
  await stopped
  assert.equal(await fresh.closed(), '')
  await assert.rejects(open())
  await http.app.close()
})

test('a stop cuts off what does not come to an end', async () => {
  const { http, open, reached } = await start({})
  const stuck = await open()
  stuck.write(post('/api', discover))
  await reached(1)
  await http.drain(50)
  await assert.rejects(stuck.next(), /closed/)
  await http.app.close()
})

test('a client that leaves in the middle leaves nothing behind', async () => {
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
  await http.app.close()
})

test('one address holds so many connections and no more', async () => {
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

test('bodies that have not arrived yet hold only so many bytes, all together', async () => {
  const { http, open, release, reached, close } = await start({ heldBytesMax: 3000 })
  const half = await open()
  half.write(post('/api', 'x'.repeat(2000), ['Content-Length: 4000']))
  const second = await open()
  second.write(post('/api', 'x'.repeat(2000), ['Content-Length: 4000']))
  const refused = await second.next()
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
  await second.closed()
  half.socket.destroy()
  while ((await connectionsOf(http)) > 0) await new Promise((resolve) => setImmediate(resolve))
  const third = await open()
  third.write(post('/api', `{"id":1,"method":"rpc.discover","pad":"${'x'.repeat(2000)}"}`))
  await reached(1)
  release()
  assert.equal((await third.next()).status, 200)
  await close()
})

test('a reply that cannot be made ends its connection and not the service', async () => {
  const failed: unknown[] = []
  const broken = await listen({ answer: () => Promise.reject(new Error('unforeseen')), failed: (cause) => failed.push(cause) })
  const client = await broken.open()
  client.write(post('/api', discover))
  await assert.rejects(client.next(), /closed/)
  assert.equal(failed.length, 1)
  assert.equal(broken.http.inFlight(), 0)
  await broken.close()
})

test('pages live beside the API, each by its own routes, and what they throw is told to the log alone', async () => {
  const failed: unknown[] = []
  const page: NonNullable<HttpParts['pages']>[number] = (app, _options, done) => {
    app.get('/page', (_request, reply) => reply.type('text/html').send('<p>here</p>'))
    app.get('/broken', () => Promise.reject(new Error('secret')))
    done()
  }
  const { open, close } = await start({}, { pages: [page], failed: (cause) => failed.push(cause) })
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

function connectionsOf({ app }: Http): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_err, count) => resolve(count)))
}

/** A house whose methods answer when they are told to. */
async function start(bounds: HttpParts['bounds'], more: Partial<HttpParts> = {}) {
  const waiting: (() => void)[] = []
  const { answer, ran } = rehearse({}, async (method) => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { method }
  })
  const house = await listen({ answer, ...(bounds === undefined ? {} : { bounds }), ...more })
  return {
    ...house,
    release: () => {
      for (const go of waiting.splice(0)) go()
    },
    reached: async (calls: number) => {
      while (ran.length < calls) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
