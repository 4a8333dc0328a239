import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'

import { makeSystemClock } from '../system-clock.ts'

import { makeAuthority, type Certified } from './certificate.fixture.ts'
import { makeGuard } from './guard.ts'
import { makeSend, type Sent } from './send.ts'

const trusted = makeAuthority('an authority that the machine trusts')
const before = getCACertificates('default')
setDefaultCACertificates([...before, trusted.cert])
after(() => setDefaultCACertificates(before))

interface Heard {
  readonly sent: Sent
  /** Name asked for in the handshake, Host header and body of each request that came through. */
  readonly letters: { servername: unknown; host: string | undefined; body: string }[]
}

/** A merchant's server with this certificate, and one letter to `host`, a name that stands for this machine. */
async function post(certified: Certified, host = 'shop.example'): Promise<Heard> {
  const letters: Heard['letters'] = []
  const server = createServer(certified, (req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (text: string) => (body += text))
    req.on('end', () => {
      letters.push({ servername: nameAsked(req.socket), host: req.headers.host, body })
      res.end('ok')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const guard = makeGuard({ resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]), loopback: true })
  const send = makeSend({ guard, clock: makeSystemClock(), timeoutMs: 5000, replyBytesMax: 100 })
  try {
    const sent = await send(
      { url: new URL(`https://${host}:${String(port)}/events`), headers: {}, body: '{"a":1}' },
      new AbortController().signal,
    )
    return { sent, letters: letters.map((letter) => ({ ...letter, host: letter.host?.replace(`:${String(port)}`, '') })) }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('a letter goes over TLS to the judged address, under the name that was asked for', async () => {
  const { sent, letters } = await post(trusted.certify('shop.example'))
  assert.equal(sent.outcome === 'answered' && sent.status, 200)
  assert.deepEqual(letters, [{ servername: 'shop.example', host: 'shop.example', body: '{"a":1}' }])
})

for (const [what, certified] of [
  ['of an authority that nobody trusts', makeAuthority('an authority that the machine trusts').certify('shop.example')],
  ['of another name', trusted.certify('other.example')],
  ['that is over', trusted.certify('shop.example', -1)],
] as const) {
  test(`a server with a certificate ${what} is told nothing`, async () => {
    assert.deepEqual(await post(certified), { sent: { outcome: 'unreachable' }, letters: [] })
  })
}

/** The name of the handshake (SNI), which node:tls leaves on the server's socket. */
function nameAsked(socket: object): unknown {
  return socket instanceof TLSSocket && 'servername' in socket ? socket.servername : null
}
