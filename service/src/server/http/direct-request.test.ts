import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { after, test } from 'node:test'

import { readSearchSeed } from '../../../../tools/search-size.ts'
import { post } from '../../testing/raw.fixture.ts'
import { makeSeeded } from '../../testing/seeded.fixture.ts'
import { maxDirectBytes, readDirectRequest } from './direct-request.ts'

const body = '{"id":1}'
const seed = readSearchSeed(1)

/** What node reads: the first request, and how many there are. */
const reader = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const read = {
      method: req.method,
      url: req.url,
      version: req.httpVersion,
      rawHeaders: req.rawHeaders,
      body: Buffer.concat(chunks).toString('latin1'),
    }
    const text = JSON.stringify(read)
    res.writeHead(200, { connection: 'close', 'content-length': Buffer.byteLength(text) }).end(text)
  })
})
await new Promise<void>((resolve) => reader.listen(0, '127.0.0.1', resolve))
after(() => reader.close())

test('a small POST in one piece is read: target, headers as node has them, and where its body begins', () => {
  const read = readText(post('/api/cards.check', body, ['X-Auth: \t a:b ', 'Connection: Keep-Alive']))
  assert.deepEqual(read?.target, { segment: 'cards.check', hasQuery: false })
  assert.deepEqual(read.rawHeaders, ['Host', '127.0.0.1', 'X-Auth', 'a:b', 'Connection', 'Keep-Alive', 'Content-Length', '8'])
  assert.equal(read.headers.xAuth, 'a:b')
  assert.equal(readText(post('/api', ''))?.headers.contentLength, 0)
})

test('anything that is not beyond doubt is left to node', () => {
  const plain = post('/api', body)
  const others: readonly [what: string, text: string][] = [
    ['a part of the body', plain.slice(0, -1)],
    ['a part of the head', plain.slice(0, 30)],
    ['a byte behind it', `${plain}x`],
    ['a second request behind it', plain + plain],
    ['a line end before it', `\r\n${plain}`],
    ['another method', plain.replace('POST', 'PUT')],
    ['a query', plain.replace('/api', '/api?a=1')],
    ['a path that is encoded', plain.replace('/api', '/api/%63ards.check')],
    ['another path', plain.replace('/api', '/apis')],
    ['a deeper path', plain.replace('/api', '/api/a/b')],
    ['a whole URL', plain.replace('/api', 'http://a/api')],
    ['HTTP/1.0', plain.replace('1.1', '1.0')],
    ['two blanks', plain.replace('/api ', '/api  ')],
    ['bare line feeds', plain.replaceAll('\r\n', '\n')],
    ['one bare line feed', plain.replace('127.0.0.1\r\n', '127.0.0.1\n')],
    ['a bare return', plain.replace('127.0.0.1', '127.0\r.0.1')],
    ['a zero byte', plain.replace('127.0.0.1', '127.0\0.0.1')],
    ['a folded header', plain.replace('Host: ', 'X-A: 1\r\n Host: a\r\nHost: ')],
    ['a blank before the colon', plain.replace('Length:', 'Length :')],
    ['a header without a name', plain.replace('Host', ': a\r\nHost')],
    ['letters beyond ASCII', plain.replace('127.0.0.1', 'é')],
    ['no Host', plain.replace('Host: 127.0.0.1\r\n', 'X: a\r\n')],
    ['two Hosts', plain.replace('Host: ', 'Host: a\r\nhost: ')],
    ['no length', plain.replace('Content-Length: 8\r\n', 'X-Long-Enough: 1\r\n')],
    ['two equal lengths', plain.replace('Host', 'content-length: 8\r\nHost')],
    ['a list of lengths', plain.replace(': 8', ': 8, 8')],
    ['a signed length', plain.replace(': 8', ': +8')],
    ['a length with a zero before it', plain.replace(': 8', ': 08')],
    ['a length in hex', plain.replace(': 8', ': 0x8')],
    ['a length with a fraction', plain.replace(': 8', ': 8.0')],
    ['a length that is too short', plain.replace(': 8', ': 7')],
    ['a length that is too long', plain.replace(': 8', ': 9')],
    ['chunks', post('/api', `8\r\n${body}\r\n0\r\n\r\n`, ['Transfer-Encoding: chunked'])],
    ['chunks and a length', plain.replace('Host', 'transfer-ENCODING: chunked\r\nHost')],
    ['Expect', plain.replace('Host', 'Expect: 100-continue\r\nHost')],
    ['Upgrade', plain.replace('Host', 'Upgrade: websocket\r\nHost')],
    ['Connection: close', plain.replace('Host', 'Connection: close\r\nHost')],
    ['Connection with two options', plain.replace('Host', 'Connection: keep-alive, X-Auth\r\nHost')],
    ['TE', plain.replace('Host', 'TE: trailers\r\nHost')],
    ['Trailer', plain.replace('Host', 'Trailer: Expires\r\nHost')],
    [
      'too many headers',
      post(
        '/api',
        body,
        Array.from({ length: 64 }, (_, i) => `X-${i}: 1`),
      ),
    ],
    ['too long', post('/api', 'x'.repeat(maxDirectBytes))],
  ]
  assert.ok(readText(plain) !== null)
  for (const [what, text] of others) assert.equal(readText(text), null, what)
})

test('whatever bytes are changed: what is read here is read by node as the same single request', async () => {
  process.stdout.write(`# seed ${seed}: replay with TESSERA_TEST_SEED=${seed}\n`)
  const random = makeSeeded(seed)
  const pieces = [
    '\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    ':',
    '\0',
    ',',
    '0',
    '1',
    '8',
    'Content-Length: 8\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Host: b\r\n',
    '\x80',
    '/',
    '?',
  ]
  let accepted = 0
  for (let i = 0; i < 400; i++) {
    let text = post('/api/cards.check', body, ['X-Auth: a:b', 'Content-Type: application/json'])
    for (let changes = 1 + random.below(2); changes > 0; changes--) {
      const at = random.below(text.length)
      text = text.slice(0, at) + random.pick(pieces) + text.slice(at + random.below(3))
    }
    const read = readText(text)
    if (read === null) continue
    accepted++
    const byNode = await readByNode(text)
    assert.deepEqual(byNode.rawHeaders, read.rawHeaders, JSON.stringify(text))
    const url = `/api${read.target.segment === null ? '' : `/${read.target.segment}`}`
    assert.deepEqual([byNode.method, byNode.version], ['POST', '1.1'])
    assert.ok(byNode.url === url || byNode.url === '/api/', JSON.stringify(text))
    assert.equal(byNode.body, text.slice(read.bodyStart), JSON.stringify(text))
  }
  assert.ok(accepted > 20, `${accepted} were accepted`)
})

function readText(text: string) {
  const bytes = Buffer.from(text, 'latin1')
  return readDirectRequest(bytes, bytes.length)
}

interface NodeRequest {
  readonly method: string
  readonly url: string
  readonly version: string
  readonly rawHeaders: string[]
  readonly body: string
}

/** The one request that node's server reads from these bytes. */
async function readByNode(text: string): Promise<NodeRequest> {
  const socket = connect({ port: (reader.address() as AddressInfo).port, host: '127.0.0.1' })
  socket.end(Buffer.from(text, 'latin1'))
  let received = ''
  for await (const chunk of socket) received += String(chunk)
  assert.ok(received.startsWith('HTTP/1.1 200'), `${JSON.stringify(text)} got ${received.slice(0, 100)}`)
  return JSON.parse(received.slice(received.indexOf('\r\n\r\n') + 4)) as NodeRequest
}
