// runs once: it draws requests, and one that differs is a finding
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'

import { readSearchSeed } from '../../../../tools/search-size.ts'
import { makeBadRequests } from '../../testing/bad-requests.fixture.ts'
import { createTestPipeline, password, pipelineMerchantId, shopOrigin } from '../../testing/pipeline.fixture.ts'
import { testPan } from '../../testing/pans.fixture.ts'
import { listenOnFreePort, openRaw, post } from '../../testing/raw.fixture.ts'
import { makeSeeded } from '../../testing/seeded.fixture.ts'
import { adoptSocket } from './direct-socket.ts'
import type { HttpServerOptions } from './http-server.ts'
import type { HttpReply } from './request.ts'

const seed = readSearchSeed(1)
const discover = '{"id":1,"method":"rpc.discover"}'
const servers = { direct: await start({}), node: await start({ readsDirectly: false }) }
after(() => Promise.all([servers.direct.close(), servers.node.close()]))

test('both ways give the same bytes, whatever the request, in one piece or several, alone or before and behind others', async () => {
  process.stdout.write(`# seed ${seed}: replay with TESSERA_TEST_SEED=${seed}\n`)
  const random = makeSeeded(seed)
  const next = makeBadRequests(random, { merchantId: pipelineMerchantId, password })
  const plain = post('/api/cards.check', '{"id":7,"params":{"token":"x"}}', [
    `X-Auth: ${pipelineMerchantId}:${password}`,
    `Origin: ${shopOrigin}`,
  ])
  const exchanges: Buffer[][] = [[Buffer.from(plain)], [Buffer.from(plain), Buffer.from(plain)], [Buffer.from(plain + plain)]]
  for (const headers of [
    ['Accept-Encoding: gzip'],
    ['Connection: close'],
    ['Accept-Language: uz'],
    ['Expect: 100-continue'],
    ['Idempotency-Key: a'],
    ['TE: x'],
  ])
    exchanges.push([Buffer.from(post('/api', discover, headers)), Buffer.from(plain)])
  // A request that hides another, as a proxy before this server might read it.
  for (const hidden of smuggling)
    exchanges.push([Buffer.from(plain), Buffer.from(hidden + plain)], [Buffer.from(hidden), Buffer.from(plain)])
  for (let i = 0; i < 150; i++) {
    const { bytes } = next()
    const at = random.below(bytes.length)
    exchanges.push(
      random.chance(0.3) ? [bytes.subarray(0, at), bytes.subarray(at)] : random.chance(0.3) ? [Buffer.from(plain), bytes] : [bytes],
    )
  }
  let direct = 0
  for (const chunks of exchanges) {
    const before = servers.direct.handled()
    const [own, byNode] = await Promise.all([exchange(servers.direct.port, chunks), exchange(servers.node.port, chunks)])
    assert.equal(own, byNode, JSON.stringify(chunks.map((chunk) => chunk.toString('latin1'))))
    if (servers.direct.handled() > before) direct++
  }
  assert.ok(direct > 50, `${direct} exchanges reached a call`)
})

test('a call that arrives while another of its connection is in progress waits, and both get their replies in order', async () => {
  const { open, close, release } = await start({}, true)
  const client = await open()
  client.write(post('/api', '{"id":1,"method":"rpc.discover"}'))
  await release.reached(1)
  client.write(post('/api', '{"id":2,"method":"rpc.discover"}'))
  client.write(`${post('/api', '{"id":3,"method":"rpc.discover"}')}nonsense\r\n\r\n`)
  release.all()
  assert.equal((await client.next()).said.id, 1)
  await release.reached(3)
  release.all()
  assert.deepEqual([(await client.next()).said.id, (await client.next()).said.id, (await client.next()).status], [2, 3, 400])
  assert.equal(await client.closed(), '')
  await close()
})

test('a connection that only waits is closed when a stop begins, one that has sent nothing is still served, and all are counted', async () => {
  const { http, open, close } = await start({})
  const [used, fresh, begun] = [await open(), await open(), await open()]
  used.write(post('/api', discover))
  assert.equal((await used.next()).status, 200)
  assert.equal(await http.connections(), 3)
  begun.write(post('/api', discover).slice(0, -5))
  await new Promise((resolve) => setTimeout(resolve, 10))
  const drained = http.drain(5000)
  assert.equal(await used.closed(), '')
  fresh.write(post('/api', discover))
  assert.deepEqual([(await fresh.next()).headers.get('connection'), await fresh.closed()], ['close', ''])
  begun.write(discover.slice(-5))
  assert.deepEqual([(await begun.next()).status, await begun.closed()], [200, ''])
  await drained
  await close()
})

test('a connection that waits for too long is closed, and one that never sends a request gets the reason', async () => {
  const { open, close } = await start({ bounds: { keepAliveMs: 50, headersTimeoutMs: 100 } })
  const [used, fresh] = [await open(), await open()]
  used.write(post('/api', discover))
  assert.equal((await used.next()).status, 200)
  assert.equal(await used.closed(), '')
  assert.equal((await fresh.next()).status, 408)
  assert.equal(await fresh.closed(), '')
  await close()
})

test('a connection whose client was slow to read a reply stays open for as long as any other afterwards', async () => {
  const reply: HttpReply = { status: 200, retryAfterSeconds: null, requestId: '0', text: JSON.stringify('x'.repeat(6 * 1024 * 1024)) }
  const handle = ({ body }: { readonly body: Buffer }): Promise<HttpReply> => {
    body.fill(0)
    return Promise.resolve(reply)
  }
  const bounds = { replyStallMs: 300, bufferedBytesMax: 1e9, bufferedBytesPerAddressMax: 1e9, bufferedBytesPerConnectionMax: 1e9 }
  const { http, open, close } = await start({ bounds, handle })
  const client = await open()
  client.socket.pause()
  client.write(post('/api', discover))
  while (http.bufferedBytes() < reply.text.length) await new Promise((resolve) => setTimeout(resolve, 1))
  client.socket.resume()
  await client.next()
  await new Promise((resolve) => setTimeout(resolve, 600))
  client.write(post('/api', discover))
  assert.equal((await client.next()).status, 200)
  await close()
})

test('node lets a server take over the reading of a connection, and nothing of a request stays in the buffer', async () => {
  let buffer: Buffer = Buffer.alloc(0)
  const adopted: (Socket | null)[] = []
  const server = createServer((accepted) => {
    const socket = adoptSocket(accepted, server, (bytes) => {
      buffer = bytes
      socket?.end('x')
      return true
    })
    adopted.push(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const client = await openRaw(typeof address === 'object' && address !== null ? address.port : 0)
  client.write('seen')
  assert.equal(await client.closed(), 'x')
  await new Promise((resolve) => server.close(resolve))
  assert.ok(adopted[0] !== null && buffer.subarray(0, 4).equals(Buffer.from('seen')), 'the buffer of the request is reached')

  const { open, close } = await start({})
  const [call, broken] = [await open(), await open()]
  buffer.fill('x')
  call.write(post('/api/cards.create', `{"id":1,"params":{"card":{"number":"${testPan}","expire":"0399"}}}`))
  assert.equal((await call.next()).status, 200)
  assert.deepEqual([buffer[0], buffer.includes(testPan)], [0, false], 'it was read into the buffer, and wiped')
  const split = post('/api/cards.create', `{"id":1,"params":{"card":{"number":"${testPan}","expire":"0399"}}}`)
  buffer.fill('x')
  call.write(split.slice(0, split.indexOf('{')))
  await new Promise((resolve) => setTimeout(resolve, 5))
  call.write(split.slice(split.indexOf('{')))
  assert.equal((await call.next()).status, 200)
  assert.deepEqual([buffer[0], buffer.includes(testPan)], [0, false], 'also when the body arrives behind its head')
  broken.write(`POST /api HTTP/1.1\r\nHost: a\r\nContent-Length: 90\r\n\r\n{"number":"${testPan}"`)
  call.write(post('/api', discover))
  await call.next()
  assert.equal(buffer.includes(testPan), false)
  await close()
})

const smuggling = [
  post('/api', `0\r\n\r\n${post('/api', discover)}`, ['Transfer-Encoding: chunked', 'Content-Length: 5']),
  post('/api', discover, ['Content-Length: 5', 'Content-Length: 32']),
  post('/api', discover, ['Content-Length: 5, 32']),
  post('/api', '0\r\n\r\n', ['Transfer-Encoding : chunked']),
  post('/api', discover, ['Content-Length : 3']),
  post('/api', discover, ['X: a\nContent-Length: 32']),
  post('/api', '0\r\n\r\n', ['Transfer-Encoding: xchunked']),
  post('/api', '20;ext\r\n' + discover + '\r\n0\r\n\r\n', ['Transfer-Encoding: chunked']),
  post('/api', discover, ['Content-Length: 3']),
]

/** All that comes back, with what differs each time replaced. */
async function exchange(port: number, chunks: readonly Buffer[]): Promise<string> {
  const client = await openRaw(port)
  for (const chunk of chunks) {
    client.write(chunk)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  client.socket.end()
  const received = await client.closed()
  return received.replaceAll(/Date: [^\r]+/g, 'Date: …')
}

async function start(options: Partial<HttpServerOptions>, isHeld = false) {
  const waiting: (() => void)[] = []
  const { answer, ran } = createTestPipeline({ issueRequestId: () => '0'.repeat(24) }, async (method) => {
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve))
    return { method }
  })
  let handled = 0
  const handle = (request: Parameters<typeof answer>[0]): ReturnType<typeof answer> => {
    handled++
    return answer(request)
  }
  const reached = async (calls: number): Promise<void> => {
    while (ran.length < calls) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const release = { reached, all: () => waiting.splice(0).forEach((go) => go()) }
  return { ...(await listenOnFreePort({ handle, ...options })), handled: () => handled, release }
}
