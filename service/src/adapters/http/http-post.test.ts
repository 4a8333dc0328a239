import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeSystemClock } from '../../system-clock.ts'

import { makeAuthority, type Certified } from './certificate.fixture.ts'
import { makeAddressGuard, type ResolveHost } from './address-guard.ts'
import { makeHttpPost, type HttpPostResult } from './http-post.ts'
import { startTlsServer, trustedAuthority, type TlsHeard } from './tls-server.fixture.ts'

const trusted = trustedAuthority()
const untrusted = makeAuthority('an authority that the machine trusts')

interface Posted {
  readonly sent: HttpPostResult
  /** Name asked for in the handshake, Host header and body of each request that came through. */
  readonly letters: readonly (Pick<TlsHeard, 'servername' | 'body'> & { readonly host: string | undefined })[]
}

const toHere: ResolveHost = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])

function sendTo(host: string, port: number, resolve = toHere): Promise<HttpPostResult> {
  const send = makeHttpPost({
    guard: makeAddressGuard({ resolve, loopback: true }),
    clock: makeSystemClock(),
    timeoutMs: 5000,
    replyBytesMax: 100,
  })
  const url = new URL(`https://${host}:${String(port)}/events`)
  return send({ url, headers: {}, body: '{"a":1}' }, new AbortController().signal)
}

/** A merchant's server with this certificate, and one letter to `host`, a name that stands for this machine. */
async function post(certified: Certified, host = 'shop.example'): Promise<Posted> {
  const server = await startTlsServer({ certified })
  const { port, heard } = server
  try {
    const sent = await sendTo(host, port)
    const letters = heard.map(({ servername, headers, body }) => ({
      servername,
      host: headers.host?.replace(`:${String(port)}`, ''),
      body,
    }))
    return { sent, letters }
  } finally {
    await server.close()
  }
}

test('a request goes over TLS to the checked address, with the requested server name', async () => {
  const { sent, letters } = await post(trusted.certify('shop.example'))
  assert.equal(sent.outcome === 'answered' && sent.status, 200)
  assert.deepEqual(letters, [{ servername: 'shop.example', host: 'shop.example', body: '{"a":1}' }])
})

const refused: readonly (readonly [string, Certified])[] = [
  ['of an authority that nobody trusts', untrusted.certify('shop.example')],
  ['of another name', trusted.certify('other.example')],
  ['that is over', trusted.certify('shop.example', -1)],
]
for (const [what, certified] of refused) {
  test(`nothing is sent to a server with a certificate ${what}`, async () => {
    assert.deepEqual(await post(certified), { sent: { outcome: 'unreachable' }, letters: [] })
  })
}

test('nothing is sent to a server without a valid certificate, even when the environment tells Node to accept any', async () => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    for (const [, certified] of refused) assert.deepEqual(await post(certified), { sent: { outcome: 'unreachable' }, letters: [] })
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  }
})

test('a name is resolved once, and its other or later addresses are not connected to', async () => {
  const certified = trusted.certify('localhost')
  const judged = await startTlsServer({ certified, address: '127.0.0.2' })
  const elsewhere = await startTlsServer({ certified, address: '127.0.0.1', port: judged.port })
  const answers = ['127.0.0.2', '127.0.0.1'].map((address) => [{ address, family: 4 }])
  let asked = 0
  const sent = await sendTo('localhost', judged.port, () => Promise.resolve(answers[Math.min(asked++, 1)] ?? []))
  assert.equal(sent.outcome, 'answered')
  assert.deepEqual([asked, judged.heard.length, elsewhere.heard.length], [1, 1, 0])
  await judged.close()
  await elsewhere.close()
})

test('an IP address is requested without a server name, and a certificate for a name is not valid for it', async () => {
  assert.deepEqual(await post(trusted.certify('shop.example'), '127.0.0.1'), { sent: { outcome: 'unreachable' }, letters: [] })
})
