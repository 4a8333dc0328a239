import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'

import { exchangeRaw, type RawExchangeOptions, type VectorResponse } from './exchange.ts'

const servers: Server[] = []
after(() => servers.forEach((server) => server.close()))

async function ask(
  serve: (socket: Socket) => void,
  options: Partial<RawExchangeOptions> = {},
  bytes = 'GET / HTTP/1.1\r\n\r\n',
): Promise<VectorResponse> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const url = new URL(`http://127.0.0.1:${address.port}`)
  return exchangeRaw(Buffer.from(bytes), { url, msMax: 2000, isHead: false, awaitClose: false, ...options })
}

describe('an answer is read', () => {
  it('by its length, even in pieces', async () => {
    const reply = await ask((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Ty')
      setImmediate(() => socket.write('pe: application/json\r\nContent-Length: 2\r\n\r\n{'))
      setTimeout(() => socket.write('}'), 5)
    })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['content-type'], 'application/json')
    assert.equal(reply.body.toString(), '{}')
    assert.equal(reply.isClosed, false)
  })

  it('in chunks', async () => {
    const reply = await ask((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\n'),
    )
    assert.equal(reply.body.toString(), 'abcd')
  })

  it('up to the end of the connection where nothing tells its length', async () => {
    const reply = await ask((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'))
    assert.equal(reply.body.toString(), 'all of it')
    assert.equal(reply.isClosed, true)
  })

  it('after an interim answer', async () => {
    const reply = await ask((socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'))
    assert.equal(reply.status, 204)
  })

  it('without a body in reply to HEAD', async () => {
    const reply = await ask((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n'), { isHead: true })
    assert.equal(reply.body.length, 0)
  })

  it('with two headers of one name joined', async () => {
    const reply = await ask((socket) => socket.write('HTTP/1.1 200 OK\r\nVary: A\r\nvary:  B \r\nContent-Length: 0\r\n\r\n'))
    assert.equal(reply.headers.vary, 'A, B')
  })

  it('although the server closes while we still write', async () => {
    const reply = await ask(
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n', () => socket.destroy())),
      {},
      `POST / HTTP/1.1\r\n\r\n${'x'.repeat(4_000_000)}`,
    )
    assert.equal(reply.status, 413)
  })
})

describe('a connection that must close', () => {
  const answer = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'

  it('is reported closed when the server closes it', async () => {
    assert.equal((await ask((socket) => socket.end(answer), { awaitClose: true })).isClosed, true)
  })

  it('is reported open when it does not', async () => {
    assert.equal((await ask((socket) => socket.write(answer), { awaitClose: true, msMax: 100 })).isClosed, false)
  })
})

describe('no answer', () => {
  it('is reported when the connection ends', async () => {
    await assert.rejects(
      ask((socket) => socket.end()),
      /closed without a response/,
    )
  })

  it('is reported when it is incomplete in time', async () => {
    await assert.rejects(
      ask((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'), { msMax: 50 }),
      /no complete response within 50 ms/,
    )
  })
})
