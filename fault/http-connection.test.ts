import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { ConnectionLost, cutReply, openHttpConnection } from './http-connection.ts'
import { readCallOutcome } from './api-client.ts'

const reply = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\n"so"\n'

test('a reply is cut from the stream when it is complete, and not a byte sooner', () => {
  for (let bytes = 0; bytes < reply.length; bytes++) assert.equal(cutReply(Buffer.from(reply.slice(0, bytes))), null)
  const cut = cutReply(Buffer.from(reply + reply))
  assert.deepEqual([cut?.bytes, cut?.reply.status, cut?.reply.body], [reply.length, 503, '"so"\n'])
})

test('a call whose connection ends without a reply is lost, not refused', async () => {
  const server = createServer((socket: Socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const connection = await openHttpConnection(`http://127.0.0.1:${port}`)
  await assert.rejects(connection.post('/api', 'id', '{}'), ConnectionLost)
  await assert.rejects(connection.post('/api', 'id', '{}'), ConnectionLost)
  server.close()
})

test('a reply is a result, or a refusal with its reason; without JSON its status is the reason', () => {
  assert.deepEqual(readCallOutcome({ status: 200, head: '', body: '{"jsonrpc":"2.0","id":1,"result":{"success":true}}' }), {
    kind: 'result',
    result: { success: true },
  })
  const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-31103,"reason":"wrong_code"}}'
  assert.deepEqual(readCallOutcome({ status: 200, head: '', body: error }), {
    kind: 'refused',
    status: 200,
    code: -31103,
    reason: 'wrong_code',
  })
  assert.deepEqual(readCallOutcome({ status: 503, head: '', body: 'busy' }), { kind: 'refused', status: 503, code: 0, reason: 'http_503' })
})

test('a problem is a refusal that says its detail and when to try again', () => {
  const head = 'HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nRetry-After: 2'
  const body = '{"type":"about:blank","status":503,"title":"Service Unavailable","detail":"Too many requests."}'
  const reason = 'http_503: Too many requests.'
  assert.deepEqual(readCallOutcome({ status: 503, head, body }), { kind: 'refused', status: 503, code: 0, reason, retryAfterMs: 2000 })
})
