import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeSystemClock } from '../system-clock.ts'

import { makeAuthority, type Certified } from './certificate.fixture.ts'
import { makeGuard, type Resolve } from './guard.ts'
import { makeSend, type Sent } from './send.ts'
import { startTlsServer, trustedAuthority, type TlsHeard } from './tls-server.fixture.ts'

const trusted = trustedAuthority()
const untrusted = makeAuthority('an authority that the machine trusts')

interface Posted {
  readonly sent: Sent
  /** Name asked for in the handshake, Host header and body of each request that came through. */
  readonly letters: readonly (Pick<TlsHeard, 'servername' | 'body'> & { readonly host: string | undefined })[]
}

const toHere: Resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])

function sendTo(host: string, port: number, resolve = toHere): Promise<Sent> {
  const send = makeSend({ guard: makeGuard({ resolve, loopback: true }), clock: makeSystemClock(), timeoutMs: 5000, replyBytesMax: 100 })
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

test('a letter goes over TLS to the judged address, under the name that was asked for', async () => {
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
  test(`a server with a certificate ${what} is told nothing`, async () => {
    assert.deepEqual(await post(certified), { sent: { outcome: 'unreachable' }, letters: [] })
  })
}

test('a server without a right certificate is told nothing even where the environment tells Node to take any', async () => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  try {
    for (const [, certified] of refused) assert.deepEqual(await post(certified), { sent: { outcome: 'unreachable' }, letters: [] })
  } finally {
    delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  }
})

test('a name is asked for once, and what it stands for elsewhere or a moment later is not connected to', async () => {
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

test('an address is asked for without a name, and no certificate of a name is good for it', async () => {
  assert.deepEqual(await post(trusted.certify('shop.example'), '127.0.0.1'), { sent: { outcome: 'unreachable' }, letters: [] })
})
