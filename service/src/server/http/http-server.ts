import {
  createServer as createNodeServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

import type { RequestHandler } from '../pipeline.ts'
import { acceptConnections } from './accept-connections.ts'
import { closeAfter, isAfterLast, numberRequest, refuseSocket } from './connections.ts'
import type { DirectConnections } from './direct-connection.ts'
import { handleClientError } from './client-error.ts'
import { secureContextOf, tlsServerOptions, type CertificateHolder, type ListenerTls } from './listener-tls.ts'
import { clientAddress, noProxies, type TrustedProxies } from './client-address.ts'
import { makeLoadShedder } from './load-shedding.ts'
import { MemoryBudget, requestObjectBytes, type CutReason, type MemoryBounds } from './memory-budget.ts'
import { guardConnections, type MemoryGuard } from './memory-guard.ts'
import { makeTurnBudget } from './turn-budget.ts'
import { UnreadReplies } from './unread-replies.ts'
import { createServerState, endRequest, type AbortStage, type InFlightBounds, type ServerState } from './server-state.ts'
import { respondToOptions, discardRequest, Exchange, refuseRequest } from './exchange.ts'
import { servePages, type PageRoute } from './page-routes.ts'
import { httpsOnlyHeaders } from './security-headers.ts'
import { findProtocolFault, RequestHeaders } from './request-headers.ts'
import { makeReceiveBufferWiper, type ReceiveBufferWiper } from './receive-buffer.ts'
import { readApiTarget } from './request.ts'

/** The HTTP server: the API, and the pages beside it. */
export interface HttpServer extends CertificateHolder {
  /** Returns the address it listens on. */
  listen(address: ListenAddress): Promise<AddressInfo>
  /** API requests that are being handled. */
  inFlight(): number
  /** Bytes that are held for clients: bodies, requests in progress, and replies that were not read. */
  bufferedBytes(): number
  /** Connections that are not read, because more arrives than the event loop can handle. */
  pausedConnections(): number
  /** Open connections, for tests. */
  connections(): Promise<number>
  /**
   * Moves clients to another process before a stop: new connections and requests are still served, and each connection is closed after its reply
   * (`Connection: close`).
   */
  retireConnections(): void
  /**
   * Stops gracefully: accepts no new connection, handles the requests that have arrived, refuses later ones with 503, and closes each connection
   * after its reply. Resolves when all are closed; after `deadlineMs` the remaining ones are cut off.
   */
  drain(deadlineMs: number): Promise<void>
  /** Stops without waiting for idle connections. Resolves when all are closed. */
  close(): Promise<void>
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
  /** Whether other sockets of this user may listen on the port too; the kernel then shares the connections among them. Default: no. */
  readonly reusePort?: boolean
}

export interface HttpServerOptions {
  /** Handles a request to the API. */
  readonly handle: RequestHandler
  readonly bounds?: Partial<HttpBounds>
  /** Milliseconds of a monotonic clock, for the time since the head of a request was read. */
  readonly now?: () => number
  /** Proxies that are trusted to name the client's address. Default: none. */
  readonly proxies?: TrustedProxies
  /** Null or absent: plain http. */
  readonly tls?: ListenerTls | null
  /** Whether browsers are to use https only for this host (HSTS): it has TLS, or the proxy in front of it. Default: no. */
  readonly isHttpsOnly?: boolean
  /** Whether the API is served on a host, by the Host header. Default: on every host. */
  readonly isApiHost?: (host: string | null) => boolean
  /** The routes beside the API: form, dashboard, SDK files. */
  readonly pages?: readonly PageRoute[]
  /** For the log: an unexpected error. */
  readonly onError?: (cause: unknown) => void
  /** Off in the control of the test that searches the memory for card numbers. */
  readonly wipesReceiveBuffer?: boolean
  /** Whether small calls are read without node:http where there is no TLS. Off in tests that compare both ways. Default: yes. */
  readonly readsDirectly?: boolean
  /** For metric and log: a client closed its connection before it had its reply. */
  readonly onAbort?: (stage: AbortStage) => void
  /** For metric and log: a connection was closed because its client does not read, or there are too many. */
  readonly onCut?: (reason: CutReason) => void
  /** Default: memory is not measured. */
  readonly memoryGuard?: MemoryGuard
}

/** Limits of the HTTP server. */
export interface HttpBounds extends InFlightBounds, MemoryBounds {
  readonly headersTimeoutMs: number
  /** From the first byte of a request to its last. */
  readonly requestTimeoutMs: number
  readonly keepAliveMs: number
  /** How long a client may read nothing of a reply that waits for it. */
  readonly replyStallMs: number
  readonly socketsMax: number
  readonly socketsPerAddressMax: number
}

/** Creates the server. It refuses what is not plain HTTP/1.1, passes API requests to `handle`, and looks up every other path among the pages. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const {
    handle,
    now = null,
    proxies = noProxies,
    tls = null,
    isApiHost = () => true,
    isHttpsOnly = false,
    pages = [],
    onError = () => undefined,
    onAbort = () => undefined,
    onCut = () => undefined,
    memoryGuard = unlimitedMemory,
  } = options
  const extra = isHttpsOnly ? httpsOnlyHeaders : {}
  const addedHeaders = Object.entries(extra).flat()
  const bounds = { ...defaultBounds, ...options.bounds }
  const memory = new MemoryBudget(bounds, onCut)
  const unreadReplies = new UnreadReplies(memory, { stallMs: bounds.replyStallMs, idleMs: idleTimeoutMs(bounds) })
  const monotonicMs = now ?? (() => performance.now())
  const turns = makeTurnBudget({
    now: monotonicMs,
    nextTurn: (run) => void setImmediate(run),
    // A tick runs when all microtasks have.
    afterCalls: (run) => queueMicrotask(() => process.nextTick(run)),
  })
  const shedder = makeLoadShedder({ now: monotonicMs, every: repeat })
  const shared = { handle, onError, onAbort, now, turns, shedder, proxies, isApiHost, addedHeaders, memory, unreadReplies }
  const state = createServerState(shared, bounds)
  const serve = servePages(pages, {
    addressOf: (req) => clientAddress(req.socket.remoteAddress ?? '', req.rawHeaders, proxies),
    refuseNotFound: (req, res) => refuseRequest(req, res, { name: 'notFound', requestNumber: 0, server: state }),
    closeConnection: (req) => closeAfter(req.socket),
    addedHeaders: extra,
    onError,
  })
  const receiveBuffer = options.wipesReceiveBuffer === false ? null : makeReceiveBufferWiper(onError, { tls })
  const server = makeServer(state, bounds, { servePage: (req, res) => void serve(req, res), receiveBuffer, tls })
  const direct = acceptConnections(server, state, {
    ...bounds,
    idleMs: idleTimeoutMs(bounds),
    hasTls: tls !== null,
    readsDirectly: options.readsDirectly ?? true,
  })
  guardConnections(server, { guard: memoryGuard, socketsMax: bounds.socketsMax, every: repeat, onRefused: onCut })
  server.once('close', () => receiveBuffer?.stop())
  return Object.freeze({
    listen: async (address: ListenAddress) => {
      const listening = await listenOn(server, address)
      await receiveBuffer?.start()
      return listening
    },
    inFlight: () => state.inFlight.total,
    bufferedBytes: () => memory.bytes,
    pausedConnections: () => shedder.paused(),
    connections: () => new Promise<number>((resolve) => server.getConnections((_err, count) => resolve(count))),
    retireConnections: () => void (state.closesConnections = true),
    drain: (deadlineMs: number) => drain(server, state, { direct, deadlineMs }),
    close: () => {
      direct?.closeIdle()
      return closeServer(server)
    },
    replaceCertificate(replacement: ListenerTls) {
      if (server instanceof TlsServer) server.setSecureContext(secureContextOf(replacement))
    },
  })
}

const unlimitedMemory: MemoryGuard = Object.freeze({ hasRoom: () => true })

export const defaultBounds: HttpBounds = Object.freeze({
  headersTimeoutMs: 5000,
  requestTimeoutMs: 10_000,
  // Longer than the usual 60 s idle timeout of load balancers, so that they close the connection and not this server.
  keepAliveMs: 65_000,
  inFlightMax: 2000,
  inFlightPerConnectionMax: 64,
  inFlightPerAddressMax: 500,
  bufferedBytesMax: 64 * 1024 * 1024,
  bufferedBytesPerAddressMax: 16 * 1024 * 1024,
  bufferedBytesPerConnectionMax: 1024 * 1024,
  replyStallMs: 10_000,
  socketsMax: 8192,
  socketsPerAddressMax: 1024,
})

interface ServerParts {
  readonly servePage: RequestListener
  readonly receiveBuffer: ReceiveBufferWiper | null
  readonly tls: ListenerTls | null
}

function makeServer(state: ServerState, bounds: HttpBounds, { servePage, receiveBuffer, tls }: ServerParts): Server {
  const serve: RequestListener = (req, res) => {
    // Also a GET may carry a body or a query, which are refused and may have a card number in them; one of a page has neither.
    if (receiveBuffer !== null && (req.method !== 'GET' || hasBody(req) || req.url?.includes('?') === true)) {
      receiveBuffer.wipe(req.socket)
      // A longer body arrives in several reads.
      req.on('data', wipeBuffer)
    }
    receiveRequest(req, res, { state, servePage })
  }
  function wipeBuffer(this: IncomingMessage): void {
    receiveBuffer?.wipe(this.socket)
  }
  const server = openServer(tls, bounds, serve)
  server.maxHeadersCount = 0
  server.timeout = idleTimeoutMs(bounds)
  server.on('timeout', (socket: Socket) => state.unreadReplies.timeOut(socket))
  server.on('checkExpectation', serve)
  server.on('clientError', (err, socket: Socket) => {
    receiveBuffer?.wipe(socket)
    handleClientError(err, socket, state)
  })
  server.on('connect', (_req: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    refuseSocket(socket, 'targetForm')
  })
  server.once('close', () => state.shedder.stop())
  return server
}

function openServer(tls: ListenerTls | null, bounds: HttpBounds, serve: RequestListener): Server {
  if (tls === null) return createNodeServer(nodeOptions(bounds), serve)
  const server = createTlsServer({ ...nodeOptions(bounds), ...tlsServerOptions(tls, bounds.headersTimeoutMs) }, serve)
  // Plain http, an old version of TLS, or a handshake that took too long: there is no connection for a reply. Before node makes it a `clientError`.
  return server.prependListener('tlsClientError', (_err, socket) => {
    closeAfter(socket)
    socket.destroy()
  })
}

/** Of a connection without any activity. */
function idleTimeoutMs({ keepAliveMs, requestTimeoutMs }: HttpBounds): number {
  return keepAliveMs + requestTimeoutMs
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

interface Receiver {
  readonly state: ServerState
  readonly servePage: RequestListener
}

function receiveRequest(req: IncomingMessage, res: ServerResponse, { state, servePage }: Receiver): void {
  const requestNumber = numberRequest(req.socket, res)
  if (isAfterLast(req.socket, requestNumber)) {
    discardRequest(req)
    return
  }
  const headers = new RequestHeaders(req.rawHeaders)
  const fault = findProtocolFault(req, headers)
  const target = readApiTarget(req.url ?? '')
  // A call to the API does so itself, when it knows whether it is the connection's newest.
  if (state.closesConnections && (target === null || req.method === 'OPTIONS')) closeAfterReply(req, res)
  if (fault !== null) refuseRequest(req, res, { name: fault, requestNumber, server: state })
  else if (target !== null && !state.isApiHost(headers.host)) refuseRequest(req, res, { name: 'misdirected', requestNumber, server: state })
  else if (target === null) handlePageRequest(req, res, { state, requestNumber, reply: () => servePage(req, res), bytes: pageBytes })
  else if (req.method === 'OPTIONS')
    handlePageRequest(req, res, { state, requestNumber, reply: () => respondToOptions(res, headers, state), bytes: requestObjectBytes })
  else new Exchange(req, res, { headers, target, requestNumber, server: state })
}

/** Calls back every so many milliseconds, without keeping the process alive. */
function repeat(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms).unref()
  return () => clearInterval(timer)
}

/** Lets the connection close after the reply to this request. */
function closeAfterReply(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('connection', 'close')
  closeAfter(req.socket)
}

interface PageRequest {
  readonly state: ServerState
  readonly requestNumber: number
  /** Writes the reply. */
  readonly reply: () => void
  /** What the request and its reply are counted as. */
  readonly bytes: number
}

/** Replies to what is no call. Its bytes count like those of calls, until its client has read them. */
function handlePageRequest(req: IncomingMessage, res: ServerResponse, { state, requestNumber, reply, bytes }: PageRequest): void {
  const { socket } = req
  const charge = state.memory.open(socket, clientAddress(socket.remoteAddress ?? '', req.rawHeaders, state.proxies))
  if (charge.isFlood || charge.findFull(bytes) !== null) {
    charge.release()
    refuseRequest(req, res, { name: 'tooManyReplies', requestNumber, server: state })
    return
  }
  state.unreadReplies.count(res, charge, bytes)
  state.open++
  res.once('close', () => {
    charge.release()
    // A stop that cuts connections off is not the client's doing.
    if (!res.writableFinished && !state.isDraining) state.onAbort(req.complete ? 'reply' : 'request')
    endRequest(state)
  })
  res.once('prefinish', () => state.unreadReplies.watch(socket))
  reply()
}

function nodeOptions({ headersTimeoutMs, requestTimeoutMs, keepAliveMs }: HttpBounds): ServerOptions {
  return {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(500, headersTimeoutMs),
    maxHeaderSize: 16 * 1024,
    insecureHTTPParser: false,
    // Checked by findProtocolFault, so that the response says why.
    requireHostHeader: false,
    noDelay: true,
  }
}

interface DrainOptions {
  readonly direct: DirectConnections | null
  readonly deadlineMs: number
}

async function drain(server: Server, state: ServerState, { direct, deadlineMs }: DrainOptions): Promise<void> {
  state.closesConnections = true
  state.isDraining = true
  if (state.shedder.paused() > 0) await readPaused(state)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  direct?.closeIdle()
  const cutAfter = (ms: number) =>
    setTimeout(() => {
      server.closeAllConnections()
      direct?.closeAll()
    }, ms)
  const cut = [cutAfter(deadlineMs)]
  // A connection that is still open then carries no request: its client opened it in advance.
  state.idle = () => cut.push(cutAfter(lastReplyDelayMs))
  if (state.open === 0) state.idle()
  await closed
  cut.forEach((timer) => clearTimeout(timer))
}

/** Reads what waits on connections that are paused: node closes each that is idle as far as its parser knows. */
async function readPaused({ shedder }: ServerState): Promise<void> {
  shedder.stop()
  // One turn may be at its end, and another reads 1,024 connections.
  for (let turns = 0; turns <= 1 + defaultBounds.socketsMax / 1024; turns++) await new Promise((resolve) => setImmediate(resolve))
}

/** Listens. Rejects with the reason if it cannot. */
export function listenOn(server: Server, { host, port, reusePort = false }: ListenAddress): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, reusePort }, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

/** Closes a server. Does nothing if it does not listen. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}

/** What a page is counted as until it was read: a body of the dashboard, or a document; files are shared by all replies. */
const pageBytes = 64 * 1024
/** Time for the last replies to be sent. */
const lastReplyDelayMs = 100
