import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { after, test } from 'node:test'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

import { makeAuthority } from '../../adapters/http/certificate.fixture.ts'
import { createTestPipeline } from '../../testing/pipeline.fixture.ts'
import { post } from '../../testing/raw.fixture.ts'

import { createHttpServer, type HttpServer, type HttpServerOptions } from './http-server.ts'
import type { CutReason } from './memory-budget.ts'
import type { ListenerTls } from './listener-tls.ts'

const authority = makeAuthority('an authority')
const discover = '{"id":1,"method":"rpc.discover"}'
const large = 'x'.repeat(16 * 1024 * 1024)

test('TLS 1.2 and 1.3 are spoken; TLS 1.1, suites without forward secrecy and plain http are not', async () => {
  const { port } = await start()
  const protocolWith = async (options: ConnectionOptions): Promise<string | null> => {
    const client = await open(port, options)
    const protocol = client.getProtocol()
    client.destroy()
    return protocol
  }
  assert.equal(await protocolWith({}), 'TLSv1.3')
  assert.equal(await protocolWith({ maxVersion: 'TLSv1.2' }), 'TLSv1.2')
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  await assert.rejects(protocolWith(old), /protocol version|PROTOCOL_VERSION/i)
  await assert.rejects(
    protocolWith({ maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA:AES128-GCM-SHA256:ECDHE-ECDSA-AES128-SHA' }),
    /handshake failure/i,
  )
  const plain = connectPlain(port, '127.0.0.1')
  plain.end(post('/api', discover))
  const received: Buffer[] = []
  plain.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => undefined)
  await once(plain, 'close')
  assert.doesNotMatch(Buffer.concat(received).toString('latin1'), /HTTP/)
  assert.match(await call(await open(port)), /"result"/)
})

test('a new certificate is shown to new connections, and open ones continue', async () => {
  const { http, port } = await start()
  const before = await open(port)
  const first = before.getPeerX509Certificate()?.fingerprint256
  http.replaceCertificate(certify())
  assert.match(await call(before), /"result"/)
  const second = (await open(port)).getPeerX509Certificate()?.fingerprint256
  assert.ok(first !== undefined && second !== undefined)
  assert.notEqual(first, second)
})

test('requests on one connection are answered in their order, one that is not HTTP gets the reason, and a stop closes the connection', async () => {
  const { http, port } = await start()
  const client = await open(port)
  client.write(post('/api', discover) + post('/api', '{"id":2,"method":"none"}') + 'nonsense\r\n\r\n')
  const text = await readUntilClosed(client)
  const order = [...text.matchAll(/"id":(\d)|not a valid HTTP/g)].map(([found]) => found)
  assert.deepEqual(order, ['"id":1', '"id":2', 'not a valid HTTP'])
  const idle = await open(port)
  const closed = once(idle, 'close')
  await http.drain(10_000)
  await closed
})

test('a client that does not read its reply is cut off, and what was held for it is released', async () => {
  const cut: CutReason[] = []
  const bounds = { replyStallMs: 200, bufferedBytesMax: 1e9 }
  const { http, port } = await start({ bounds, onCut: (reason) => cut.push(reason), handle: pipelineOf(large) })
  const client = await open(port)
  client.pause().removeAllListeners('data')
  client.write(post('/api', discover))
  await until(() => cut.length > 0 && http.bufferedBytes() === 0)
  assert.deepEqual(cut, ['reply_not_read'])
})

test('a handshake that does not end is cut off', async () => {
  const { port } = await start({ bounds: { headersTimeoutMs: 200 } })
  const silent = connectPlain(port, '127.0.0.1').on('error', () => undefined)
  await once(silent, 'close')
})

test('a connection too many of one address is closed before its handshake, and others are served', async () => {
  const { port } = await start({ bounds: { socketsPerAddressMax: 1 } })
  const first = await open(port)
  await assert.rejects(open(port))
  assert.match(await call(first), /"result"/)
  first.end()
  await once(first, 'close')
  let next = await open(port).catch(() => null)
  // The server may see the end of the first a moment later.
  while (next === null) next = await open(port).catch(() => null)
  assert.match(await call(next), /"result"/)
})

const servers: HttpServer[] = []
const clients: TLSSocket[] = []
after(async () => {
  for (const client of clients) client.destroy()
  await Promise.all(servers.map((server) => server.close()))
})

async function start(options: Partial<HttpServerOptions> = {}): Promise<{ http: HttpServer; port: number }> {
  const http = createHttpServer({ handle: pipelineOf('ok'), tls: certify(), ...options })
  servers.push(http)
  const { port } = await http.listen({ host: '127.0.0.1', port: 0 })
  return { http, port }
}

function certify(): ListenerTls {
  const { cert, key } = authority.certify('pay.example')
  return { certificate: Buffer.from(cert), key: Buffer.from(key) }
}

function pipelineOf(text: string): HttpServerOptions['handle'] {
  return createTestPipeline({}, () => ({ text })).answer
}

async function open(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const client = connect({ port, host: '127.0.0.1', servername: 'pay.example', ca: authority.cert, ...options })
  clients.push(client)
  await once(client, 'secureConnect')
  client.on('error', () => undefined)
  return client
}

/** Sends a call and resolves with its whole reply. */
async function call(client: TLSSocket): Promise<string> {
  client.write(post('/api', discover))
  let text = ''
  for await (const [bytes] of on(client)) {
    text += bytes.toString()
    if (text.endsWith('}')) return text
  }
  return text
}

async function* on(client: TLSSocket): AsyncGenerator<[Buffer]> {
  for (;;) yield (await once(client, 'data')) as [Buffer]
}

async function readUntilClosed(client: TLSSocket): Promise<string> {
  let text = ''
  client.on('data', (bytes: Buffer) => (text += bytes.toString()))
  await once(client, 'close')
  return text
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}
