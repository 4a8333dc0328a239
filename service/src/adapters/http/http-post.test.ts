// own process: it sets NODE_TLS_REJECT_UNAUTHORIZED
import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'

import { makeSystemClock } from '../../system-clock.ts'

import { makeAuthority, type CertificateWithKey } from './certificate.fixture.ts'
import { makeAddressGuard, type ResolveHost } from './address-guard.ts'
import { makeHttpPost, type HttpPostResult } from './http-post.ts'
import { startTlsServer, trustedAuthority, type TlsRequest } from './tls-server.fixture.ts'

const trusted = trustedAuthority()
/** Has the name of the trusted authority, and another key. */
const untrusted = makeAuthority('a trusted authority')

interface PostResult {
  readonly sent: HttpPostResult
  /** Server name of the handshake, Host header and body of each request that was received. */
  readonly received: readonly (Pick<TlsRequest, 'servername' | 'body'> & { readonly host: string | undefined })[]
}

const resolveToLoopback: ResolveHost = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])

function sendTo(host: string, port: number, resolve = resolveToLoopback): Promise<HttpPostResult> {
  const send = makeHttpPost({
    guard: makeAddressGuard({ resolve, allowLoopback: true }),
    clock: makeSystemClock(),
    timeoutMs: 5000,
    replyBytesMax: 100,
  })
  const url = new URL(`https://${host}:${String(port)}/events`)
  return send({ url, headers: {}, body: '{"a":1}' }, new AbortController().signal)
}

/** Posts one request to a merchant's server with this certificate, under a host name that resolves to this machine. */
async function post(certified: CertificateWithKey, host = 'shop.example'): Promise<PostResult> {
  const server = await startTlsServer({ certified })
  const { port, requests } = server
  try {
    const sent = await sendTo(host, port)
    const received = requests.map(({ servername, headers, body }) => ({
      servername,
      host: headers.host?.replace(`:${String(port)}`, ''),
      body,
    }))
    return { sent, received }
  } finally {
    await server.close()
  }
}

test('a request goes over TLS to the checked address, with the requested server name', async () => {
  const { sent, received } = await post(trusted.certify('shop.example'))
  assert.equal(sent.outcome === 'responded' && sent.status, 200)
  assert.deepEqual(received, [{ servername: 'shop.example', host: 'shop.example', body: '{"a":1}' }])
})

const refused: readonly (readonly [string, CertificateWithKey])[] = [
  ['of an authority that is not trusted', untrusted.certify('shop.example')],
  ['for another name', trusted.certify('other.example')],
  ['that has expired', trusted.certify('shop.example', -1)],
]
for (const [what, certified] of refused) {
  test(`nothing is sent to a server with a certificate ${what}`, async () => {
    assert.deepEqual(await post(certified), { sent: { outcome: 'unreachable', mayHaveArrived: false }, received: [] })
  })
}

test('nothing is sent to a server without a valid certificate, even when NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    for (const [, certified] of refused)
      assert.deepEqual(await post(certified), { sent: { outcome: 'unreachable', mayHaveArrived: false }, received: [] })
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  }
})

test('a host that leaves the connection open without a word is given up before the timeout, and nothing was sent to it', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const waits: number[] = []
  const system = makeSystemClock()
  // That for the connection ends at once.
  const sleep: typeof system.sleep = (ms, signal) => {
    waits.push(ms)
    return ms === 5000 ? Promise.resolve() : system.sleep(ms, signal)
  }
  const send = makeHttpPost({
    guard: makeAddressGuard({ resolve: resolveToLoopback, allowLoopback: true }),
    clock: { ...system, sleep },
    timeoutMs: 60_000,
    replyBytesMax: 100,
  })
  const url = new URL(`https://shop.example:${(server.address() as AddressInfo).port}/events`)
  const sent = await send({ url, headers: {}, body: '{"a":1}' }, new AbortController().signal)
  for (const socket of sockets) socket.destroy()
  server.close()
  assert.deepEqual([sent, waits.toSorted((a, b) => a - b)], [{ outcome: 'unreachable', mayHaveArrived: false }, [5000, 60_000]])
})

test('a name is resolved once, and its other or later addresses are not connected to', async () => {
  const certified = trusted.certify('localhost')
  const checked = await startTlsServer({ certified, address: '127.0.0.2' })
  const elsewhere = await startTlsServer({ certified, address: '127.0.0.1', port: checked.port })
  const answers = ['127.0.0.2', '127.0.0.1'].map((address) => [{ address, family: 4 }])
  let lookups = 0
  const sent = await sendTo('localhost', checked.port, () => Promise.resolve(answers[Math.min(lookups++, 1)] ?? []))
  assert.equal(sent.outcome, 'responded')
  assert.deepEqual([lookups, checked.requests.length, elsewhere.requests.length], [1, 1, 0])
  await checked.close()
  await elsewhere.close()
})

test('an IP address is requested without a server name, and a certificate for a name is not valid for it', async () => {
  assert.deepEqual(await post(trusted.certify('shop.example'), '127.0.0.1'), {
    sent: { outcome: 'unreachable', mayHaveArrived: false },
    received: [],
  })
})
