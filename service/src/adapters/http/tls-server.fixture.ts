import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'

import { makeAuthority, type Authority, type CertificateWithKey } from './certificate.fixture.ts'

/** A certificate authority that this process trusts until the tests of the file end. */
export function trustedAuthority(): Authority {
  const before = getCACertificates('default')
  const authority = makeAuthority('a trusted authority')
  setDefaultCACertificates([...before, authority.cert])
  after(() => setDefaultCACertificates(before))
  return authority
}

/** A request received after a successful handshake. */
export interface TlsRequest {
  /** The server name of the handshake (SNI); false without one. */
  readonly servername: unknown
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A merchant's TLS server on this machine. */
export interface TlsServer {
  readonly port: number
  readonly requests: TlsRequest[]
  /** Replaces the certificate. */
  replaceCertificate(certified: CertificateWithKey): void
  close(): Promise<void>
}

export interface TlsServerOptions {
  readonly certified: CertificateWithKey
  readonly address?: string
  readonly port?: number
  /** Default: responds with 200. */
  readonly handle?: (request: IncomingMessage, response: ServerResponse, body: string) => void
}

export async function startTlsServer({ certified, address = '127.0.0.1', port = 0, handle }: TlsServerOptions): Promise<TlsServer> {
  const requests: TlsRequest[] = []
  const server = createServer(certified, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      requests.push({ servername: serverNameOf(request.socket), headers: request.headers, body })
      if (handle === undefined) response.end('ok')
      else handle(request, response, body)
    })
  })
  // A failed test that leaves the server open must not keep the process alive.
  server.listen(port, address).unref()
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    replaceCertificate: (other) => server.setSecureContext(other),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The SNI name, which node:tls stores on the server's socket. */
function serverNameOf(socket: object): unknown {
  return socket instanceof TLSSocket && 'servername' in socket ? socket.servername : null
}
