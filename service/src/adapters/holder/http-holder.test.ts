import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'

import { makeHandClock } from '../../testing/clock.fixture.ts'
import { makeHttpPost, makeHttpRequest } from '../http/http-post.ts'
import type { HolderRequest } from './holder.ts'
import { httpHolder } from './http-holder.ts'

// A test double of the service: an HTTP server on loopback that replies what the test wants.

const request: HolderRequest = {
  requestId: '6745a1f0000a3f5c0d2e4b61',
  merchantId: '65f0c0ffee0000000000cafe',
  maskedPan: '860049******6478',
  phone: '998901234566',
  holderReference: '30101900000000',
}
const never = new AbortController().signal
const received: { authorization: string | undefined; body: unknown }[] = []
let next: { status: number; body: string } = { status: 200, body: '{}' }

const server = createServer((req, res) => {
  let body = ''
  req.on('data', (chunk: Buffer) => (body += chunk.toString()))
  req.on('end', () => {
    received.push({ authorization: req.headers.authorization, body: JSON.parse(body) })
    res.writeHead(next.status).end(next.body)
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => server.close().closeAllConnections())

const clock = makeHandClock()
const holder = httpHolder.create({
  settings: { url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/match`), tokenFile: 'a token' },
  http: makeHttpPost({ guard: { choose: async () => ({ address: '127.0.0.1', family: 4 }) }, clock, timeoutMs: 3000, replyBytesMax: 1024 }),
  request: makeHttpRequest({
    guard: { choose: async () => ({ address: '127.0.0.1', family: 4 }) },
    clock,
    timeoutMs: 3000,
    replyBytesMax: 1024,
  }),
  clock,
  log: () => undefined,
  dataFolder: '',
  store: null as never,
})

test('the service is asked with the masked card, the phone and the reference of the network, under its token', async () => {
  next = { status: 200, body: '{"match":true}' }
  assert.equal(await holder.check(request, never), 'match')
  const { requestId, merchantId, phone } = request
  const body = { requestId, merchantId, card: '860049******6478', phone, holder: '30101900000000' }
  assert.deepEqual(received, [{ authorization: 'Bearer a token', body }])
})

test('its reply is a match, a mismatch, or that it does not know', async () => {
  for (const [match, expected] of [
    [true, 'match'],
    [false, 'mismatch'],
    [null, 'unknown'],
  ] as const) {
    next = { status: 200, body: JSON.stringify({ match, more: 1 }) }
    assert.equal(await holder.check(request, never), expected)
  }
})

test('any other reply is a failure of the service, which the message names without the phone', async () => {
  for (const reply of [
    { status: 500, body: '{"match":true}' },
    { status: 302, body: '' },
    { status: 200, body: '{"match":"yes"}' },
    { status: 200, body: 'true' },
    { status: 200, body: '{' },
  ]) {
    next = reply
    await assert.rejects(holder.check(request, never), (err: Error) => !err.message.includes(request.phone), JSON.stringify(reply))
  }
})
