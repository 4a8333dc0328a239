import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { isBeyondLast, takeTurn } from './api-socket.ts'
import { settle, type Desk } from './desk.ts'
import { answerOptions, dropRequest, Exchange, refuseRequest } from './exchange.ts'
import type { InFlightBounds } from './in-flight.ts'
import { findProtocolFault } from './protocol.ts'
import { RequestHeaders } from './request-headers.ts'
import { capSockets, endSocket } from './sockets.ts'
import { readTarget } from './target.ts'

/** How much, how many and how long; milliseconds. */
export interface HttpBounds extends InFlightBounds {
  readonly headersTimeoutMs: number
  /** From the first byte of a request to its last. */
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
  /** Of bodies that have not arrived in full, all together. */
  readonly heldBytesMax: number
  readonly socketsMax: number
  readonly socketsPerAddressMax: number
}

export const defaultBounds: HttpBounds = Object.freeze({
  headersTimeoutMs: 5000,
  requestTimeoutMs: 10_000,
  // Longer than the 60 s after which load balancers commonly give an idle connection up, so that they do it and not we.
  keepAliveMs: 65_000,
  inFlightMax: 2000,
  inFlightPerConnectionMax: 64,
  inFlightPerAddressMax: 500,
  heldBytesMax: 64 * 1024 * 1024,
  socketsMax: 8192,
  socketsPerAddressMax: 1024,
})

/** Makes the HTTP server: refuses what is no plain HTTP/1.1, answers the API, and hands every other path to `others`. */
export function makeServer(desk: Desk, bounds: HttpBounds, others: RequestListener): Server {
  const serve: RequestListener = (req, res) => receive(req, res, { desk, others })
  const server = createServer(serverOptions(bounds), serve)
  server.maxConnections = bounds.socketsMax
  server.maxHeadersCount = 0
  server.timeout = bounds.keepAliveMs + bounds.requestTimeoutMs
  server.on('checkExpectation', serve)
  server.on('connect', (_req: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    endSocket(socket, 'targetForm')
  })
  capSockets(server, bounds.socketsPerAddressMax, desk.proxies)
  return server
}

interface Receiver {
  readonly desk: Desk
  readonly others: RequestListener
}

function receive(req: IncomingMessage, res: ServerResponse, { desk, others }: Receiver): void {
  const turn = takeTurn(req.socket, res)
  if (isBeyondLast(req.socket, turn)) {
    dropRequest(req)
    return
  }
  const headers = new RequestHeaders(req.rawHeaders)
  const fault = findProtocolFault(req, headers)
  const target = readTarget(req.url ?? '')
  if (fault !== null) refuseRequest(req, res, { name: fault, turn, desk })
  else if (target === null) handOver(req, res, { desk, others })
  else if (req.method === 'OPTIONS') answerOptions(res, headers)
  else new Exchange(req, res, { headers, target, turn, desk })
}

function handOver(req: IncomingMessage, res: ServerResponse, { desk, others }: Receiver): void {
  desk.open++
  res.once('close', () => settle(desk))
  others(req, res)
}

function serverOptions({ headersTimeoutMs, requestTimeoutMs, keepAliveMs }: HttpBounds) {
  return {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(500, headersTimeoutMs),
    maxHeaderSize: 16 * 1024,
    insecureHTTPParser: false,
    // Checked by us, so that the refusal says why.
    requireHostHeader: false,
    noDelay: true,
  }
}
