import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'

import { makeHttpGet } from '../../adapters/http/http-get.ts'
import { makeAddressGuard } from '../../adapters/http/address-guard.ts'
import { makeSystemClock } from '../../system-clock.ts'

import { makeFetchPage } from './fetch-page.ts'

const { signal } = new AbortController()

/** Fetches what a server on this machine answers, in the test environment or as in production. */
async function fetchFrom(
  answer: RequestListener,
  { path = '/pay', loopback: allowLoopback = true, origins = [] as string[], timeoutMs = 3000 } = {},
) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const guard = makeAddressGuard({ resolve: async (host) => [{ address: host, family: 4 }], allowLoopback })
  const get = makeHttpGet({ guard, clock: makeSystemClock(), timeoutMs, replyBytesMax: 1000 })
  try {
    const fetchPage = makeFetchPage({ get, guard, isLoopbackWelcome: allowLoopback })
    const { url, text, policies } = await fetchPage(`${origin}${path}`, origins, signal)
    return { path: url.pathname, text, policies }
  } catch (err) {
    return err instanceof RpcError ? (err.data ?? '') : assert.fail(String(err))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('a page is fetched with its policies, past a redirect, and without cookies or a password', async () => {
  const sentHeaders: (string | undefined)[] = []
  const found = await fetchFrom(
    (request, reply) => {
      sentHeaders.push(request.headers.cookie, request.headers.authorization, request.headers['x-auth'] as string | undefined)
      if (request.url === '/pay?order=1') reply.writeHead(302, { location: '/pay/card' }).end()
      else reply.writeHead(200, ['content-security-policy', 'script-src a', 'content-security-policy', 'frame-src b']).end('<p>card')
    },
    { path: '/pay?order=1#top' },
  )
  assert.deepEqual(found, { path: '/pay/card', text: '<p>card', policies: ['script-src a, frame-src b'] })
  assert.ok(sentHeaders.every((header) => header === undefined))
})

test('a page outside the registered origins is not fetched, and the error has the reason', async () => {
  const html: RequestListener = (_request, reply) => void reply.end('<p>')
  assert.equal(await fetchFrom(html, { loopback: false }), 'origin_not_registered')
  const to =
    (location: string): RequestListener =>
    (_request, reply) =>
      void reply.writeHead(301, { location }).end()
  assert.equal(await fetchFrom(to('https://other.example/')), 'origin_not_registered')
  assert.equal(await fetchFrom(to('https://10.0.0.1/'), { origins: ['https://10.0.0.1'] }), 'no_address')
  assert.equal(await fetchFrom(to('https://127.0.0.1.nip.example/'), { origins: ['https://127.0.0.1.nip.example'] }), 'forbidden_address')
  assert.equal(await fetchFrom(to('file:///etc/passwd')), 'no_address')
  assert.equal(await fetchFrom(to('/pay')), 'too_many_redirects')
  assert.equal(await fetchFrom((_request, reply) => void reply.writeHead(404).end('<p>')), 'status_404')
  assert.equal(await fetchFrom((_request, reply) => void reply.end('{"a":1}')), 'not_html')
  assert.equal(await fetchFrom((_request, reply) => void reply.end(`<p>${'x'.repeat(2000)}`)), 'too_large')
  assert.equal(await fetchFrom((_request, reply) => void reply.writeHead(200, { 'content-encoding': 'br' }).end('<p>')), 'compressed')
  assert.equal(await fetchFrom((request) => void request.socket.destroy()), 'unreachable')
  assert.equal(await fetchFrom(() => undefined, { timeoutMs: 50 }), 'late')
})
