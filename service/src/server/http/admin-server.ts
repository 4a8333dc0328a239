import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import { noProxies } from './client-address.ts'
import { limitSockets } from './connections.ts'
import { closeServer, listenOn, type ListenAddress } from './http-server.ts'
import { secureContextOf, tlsServerOptions, type CertificateHolder, type ListenerTls } from './listener-tls.ts'
import { servePages, writePage, type PageReply, type PageRoute } from './page-routes.ts'
import { beginProblem } from './problem.ts'
import { dataHeaders } from './security-headers.ts'

/** The HTTP server of the admin port. */
export interface AdminServer extends CertificateHolder {
  listen(address: ListenAddress): Promise<AddressInfo>
  close(): Promise<void>
}

/** Who may use the admin listener. */
export interface AdminAccess {
  /** Whether it listens on loopback only. There, only Host headers that name loopback are accepted. */
  readonly isLoopback: boolean
  /** Demanded as `Authorization: Bearer` where it is not null. */
  readonly token: string | null
  /** Null: plain http. */
  readonly tls: AdminTls | null
}

export interface AdminTls extends ListenerTls {
  /** The authorities of client certificates; absent: none is demanded. */
  readonly clientCa?: Buffer
}

/** Serves a few read-only routes to monitoring. It takes no body and no parameters. */
export function createAdminServer(routes: readonly PageRoute[], access: AdminAccess, onError: (cause: unknown) => void): AdminServer {
  const serve = servePages(routes, {
    addressOf: (req) => req.socket.remoteAddress ?? '',
    refuseNotFound: (_req, res) => {
      beginProblem(res, 'notFound')
      res.end()
    },
    closeConnection: (req) => req.socket.destroySoon(),
    onError,
  })
  const isAuthorized = makeTokenCheck(access.token)
  const server = makeServer(access.tls, (req, res) => {
    // No HSTS: other programs on this host may listen by plain http.
    for (const [name, value] of Object.entries(dataHeaders)) res.setHeader(name, value)
    // A web page in the operator's browser can reach loopback under a host name of its own (DNS rebinding), so only the literal names are served.
    // Elsewhere each request is authenticated, which such a page cannot do.
    if (access.isLoopback && !isLoopbackName(req.headers.host)) writePage(req, res, misdirected)
    else if (!isAuthorized(req)) writePage(req, res, unauthorized)
    else void serve(req, res)
  })
  return Object.freeze({
    listen: (address: ListenAddress) => listenOn(server, address),
    close: () => {
      const closed = closeServer(server)
      server.closeAllConnections()
      return closed
    },
    // Client certificates stay demanded: that is an option of the server.
    replaceCertificate(tls: AdminTls) {
      if (server instanceof TlsServer) server.setSecureContext({ ...secureContextOf(tls), ...clientAuthorityOf(tls) })
    },
  })
}

function makeServer(tls: AdminTls | null, listener: RequestListener): Server {
  const options = { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveMs }
  const server = tls === null ? createServer(options, listener) : createTlsServer({ ...options, ...tlsOptions(tls) }, listener)
  server.maxConnections = connectionsMax
  // So that a stranger cannot keep the health checks of others out.
  limitSockets(server, connectionsPerAddressMax, noProxies)
  return server
}

function tlsOptions(tls: AdminTls) {
  const demand = tls.clientCa === undefined ? {} : ({ requestCert: true, rejectUnauthorized: true } as const)
  return { ...tlsServerOptions(tls, requestTimeoutMs), ...clientAuthorityOf(tls), ...demand }
}

function clientAuthorityOf({ clientCa }: AdminTls) {
  return clientCa === undefined ? {} : { ca: clientCa }
}

/** Compares hashes of equal length in constant time. */
function makeTokenCheck(token: string | null): (req: IncomingMessage) => boolean {
  if (token === null) return () => true
  const expected = hash(`Bearer ${token}`)
  return ({ headers }) => timingSafeEqual(hash(headers.authorization ?? ''), expected)
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isLoopbackName(host: string | undefined): boolean {
  return host === undefined || /^(127(\.[0-9]{1,3}){3}|localhost|\[::1\])(:[0-9]{1,5})?$/.test(host)
}

const json = { 'content-type': 'application/json; charset=utf-8' }
const misdirected: PageReply = {
  status: 421,
  headers: { ...json, connection: 'close' },
  body: '{"error":"ask for 127.0.0.1 or localhost"}',
}
const unauthorized: PageReply = {
  status: 401,
  headers: { ...json, connection: 'close', 'www-authenticate': 'Bearer realm="tessera admin"' },
  body: '{"error":"send the token of the setting adminToken: Authorization: Bearer <token>"}',
}
const requestTimeoutMs = 5000
/** Longer than the usual minute between two scrapes. */
const keepAliveMs = 72_000
const connectionsMax = 256
const connectionsPerAddressMax = 32
