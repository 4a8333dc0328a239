import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { closeServer, listenOn, type ListenAddress } from './http-server.ts'
import { servePages, writePage, type PageReply, type PageRoute } from './page-routes.ts'
import { beginProblem } from './problem.ts'

/** The HTTP server of the admin port. */
export interface AdminServer {
  listen(address: ListenAddress): Promise<AddressInfo>
  close(): Promise<void>
}

/** Serves a few read-only routes to this machine only. It takes no body and no parameters. */
export function createAdminServer(routes: readonly PageRoute[], onError: (cause: unknown) => void): AdminServer {
  const serve = servePages(routes, {
    addressOf: (req) => req.socket.remoteAddress ?? '',
    refuseNotFound: (_req, res) => {
      beginProblem(res, 'notFound')
      res.end()
    },
    closeConnection: (req) => req.socket.destroySoon(),
    onError,
  })
  const server = createServer({ requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveMs }, (req, res) => {
    res.setHeader('cache-control', 'no-store')
    res.setHeader('x-content-type-options', 'nosniff')
    // A web page in the operator's browser can reach loopback under a host name of its own (DNS rebinding), so only the literal names are served.
    if (isLoopbackHost(req.headers.host)) void serve(req, res)
    else writePage(req, res, misdirected)
  })
  return Object.freeze({
    listen: (address: ListenAddress) => listenOn(server, address),
    close: () => {
      const closed = closeServer(server)
      server.closeAllConnections()
      return closed
    },
  })
}

function isLoopbackHost(host: string | undefined): boolean {
  return host === undefined || /^(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?$/.test(host)
}

const misdirected: PageReply = {
  status: 421,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: '{"error":"ask for 127.0.0.1 or localhost"}',
}
const requestTimeoutMs = 5000
/** Longer than the usual minute between two scrapes. */
const keepAliveMs = 72_000
