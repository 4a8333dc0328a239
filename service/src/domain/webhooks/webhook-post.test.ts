import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import { makeAddressGuard, type ResolvedAddress, resolveBySystem } from '../../adapters/http/address-guard.ts'
import { makeWebhookPost, type WebhookPost } from './webhook-post.ts'
import { answerStatus, startReceiver, type Receiver } from './receiver.fixture.ts'

const never = new AbortController().signal
const clock = makeHandClock()
const post = makeWebhookPost({ guard: makeAddressGuard({ resolve: resolveBySystem, allowLoopback: true }), clock, timeoutMs: 15_000 })

function withReceiver(run: (receiver: Receiver, send: () => ReturnType<WebhookPost>) => Promise<void>): () => Promise<void> {
  return async () => {
    const receiver = await startReceiver()
    try {
      await run(receiver, () => post({ url: new URL(receiver.url), headers: {}, body: '{}' }, never))
    } finally {
      await receiver.close()
    }
  }
}

test(
  'only 2xx is delivered, and a redirect is not followed',
  withReceiver(async (receiver, send) => {
    const other = await startReceiver()
    for (const status of [200, 202, 204, 299]) {
      receiver.answer = answerStatus(status)
      assert.deepEqual(await send(), { outcome: 'delivered', status })
    }
    for (const status of [301, 302, 307, 308]) {
      receiver.answer = (reply) => void reply.writeHead(status, { location: other.url }).end()
      assert.deepEqual(await send(), { outcome: 'refused', status })
    }
    for (const status of [400, 404, 410, 429, 500, 503]) {
      receiver.answer = answerStatus(status)
      assert.deepEqual(await send(), { outcome: 'refused', status })
    }
    assert.equal(other.heard.length, 0)
    await other.close()
  }),
)

test(
  'of a reply without end no more than a little is read',
  withReceiver(async (receiver, send) => {
    let written = 0
    receiver.answer = (reply) => {
      reply.writeHead(200)
      const pour = (): void => {
        while (!reply.destroyed && reply.write(Buffer.alloc(1024))) written += 1024
        if (!reply.destroyed) reply.once('drain', pour)
      }
      pour()
    }
    assert.deepEqual(await send(), { outcome: 'delivered', status: 200 })
    // The data in the sockets' buffers counts as written.
    assert.ok(written < 32 * 1024 * 1024, `${written} bytes`)
  }),
)

test(
  'an endpoint that does not answer within 15 seconds is late, and a connection that is cut off unreachable',
  withReceiver(async (receiver, send) => {
    receiver.answer = () => clock.advance(15_000)
    assert.deepEqual(await send(), { outcome: 'late', status: 0 })
    receiver.answer = (reply) => reply.destroy()
    assert.deepEqual(await send(), { outcome: 'unreachable', status: 0 })
    receiver.answer = (reply) => void reply.writeHead(200, { 'x-long': 'x'.repeat(10_000) }).end()
    assert.deepEqual(await send(), { outcome: 'unreachable', status: 0 })
  }),
)

test(
  'a name is resolved once, and the connection goes to the address that was checked',
  withReceiver(async (receiver) => {
    const answers: ResolvedAddress[] = [
      { address: '127.0.0.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]
    let lookups = 0
    const guard = makeAddressGuard({ resolve: () => Promise.resolve([answers[lookups++]!]), allowLoopback: true })
    const rebound = makeWebhookPost({ guard, clock, timeoutMs: 15_000 })
    const delivery = { url: new URL(receiver.url.replace('127.0.0.1', 'rebinding.example')), headers: {}, body: '{}' }
    assert.deepEqual(await rebound(delivery, never), { outcome: 'delivered', status: 200 })
    assert.equal(receiver.heard[0]?.headers.host, delivery.url.host)
    assert.deepEqual([lookups, receiver.heard.length], [1, 1])
    assert.deepEqual(await rebound(delivery, never), { outcome: 'forbidden_address', status: 0 })
    assert.deepEqual([lookups, receiver.heard.length], [2, 1])
  }),
)

test(
  'a name that turns to this machine is not called where this machine may not be reached',
  withReceiver(async (receiver) => {
    const guard = makeAddressGuard({ resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]), allowLoopback: false })
    const strict = makeWebhookPost({ guard, clock, timeoutMs: 15_000 })
    for (const scheme of ['http', 'https']) {
      const url = new URL(receiver.url.replace('http://127.0.0.1', `${scheme}://shop.example`))
      assert.deepEqual(await strict({ url, headers: {}, body: '{}' }, never), { outcome: 'forbidden_address', status: 0 })
    }
    assert.equal(receiver.heard.length, 0)
  }),
)

test(
  'a stop aborts an attempt at once, and its result stays unknown',
  withReceiver(async (receiver) => {
    const stopping = new AbortController()
    receiver.answer = () => stopping.abort()
    assert.deepEqual(await post({ url: new URL(receiver.url), headers: {}, body: '{}' }, stopping.signal), {
      outcome: 'stopped',
      status: 0,
    })
    assert.deepEqual(await post({ url: new URL(receiver.url), headers: {}, body: '{}' }, stopping.signal), {
      outcome: 'stopped',
      status: 0,
    })
    assert.equal(receiver.heard.length, 1)
  }),
)
