import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'

import { makeAuthority, type Authority, type Certified } from './certificate.fixture.ts'

/** A certificate authority that this process trusts until the tests of the file end. */
export function trustedAuthority(): Authority {
  const before = getCACertificates('default')
  const authority = makeAuthority('an authority that the machine trusts')
  setDefaultCACertificates([...before, authority.cert])
  after(() => setDefaultCACertificates(before))
  return authority
}

/** A request received after a successful handshake. */
export interface TlsHeard {
  /** The server name of the handshake (SNI); false without one. */
  readonly servername: unknown
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A merchant's TLS server on this machine. */
export interface TlsServer {
  readonly port: number
  readonly heard: TlsHeard[]
  /** Replaces the certificate. */
  show(certified: Certified): void
  close(): Promise<void>
}

export interface TlsServerParts {
  readonly certified: Certified
  readonly address?: string
  readonly port?: number
  /** Default: 200. */
  readonly answer?: (request: IncomingMessage, reply: ServerResponse, body: string) => void
}

export async function startTlsServer({ certified, address = '127.0.0.1', port = 0, answer }: TlsServerParts): Promise<TlsServer> {
  const heard: TlsHeard[] = []
  const server = createServer(certified, (request, reply) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      heard.push({ servername: nameAsked(request.socket), headers: request.headers, body })
      if (answer === undefined) reply.end('ok')
      else answer(request, reply, body)
    })
  })
  // A failed test that leaves the server open must not keep the process alive.
  server.listen(port, address).unref()
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    show: (other) => server.setSecureContext(other),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The SNI name, which node:tls stores on the server's socket. */
function nameAsked(socket: object): unknown {
  return socket instanceof TLSSocket && 'servername' in socket ? socket.servername : null
}
