import { maxBodyBytes } from '@tessera/contract/envelope'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { subscriberOf } from '../../domain/limits/address.ts'
import { closeAfter, isAfterLast, newestResponse, type ApiSocket } from './connections.ts'
import { BodyBuffer } from './body-buffer.ts'
import { clientAddress } from './client-address.ts'
import { corsHeaders, preflightHeaders } from './cors.ts'
import { endRequest, type ServerState } from './server-state.ts'
import { beginProblem, closes, type ProblemName } from './problem.ts'
import { requestObjectBytes, type MemoryCharge, type FullScope } from './memory-budget.ts'
import { RequestHeaders } from './request-headers.ts'
import { replyHeaders } from './reply-head.ts'
import { toHttpRequest, type ApiTarget, type HttpReply, type HttpRequest } from './request.ts'
import { dataHeaderList } from './security-headers.ts'
import { bodyOf } from './shared-body.ts'

/** A request with its exchange, so that all requests share the same listener functions. */
interface OwnedMessage extends IncomingMessage {
  [owner]?: Exchange
}

/** The exchange of an API request; undefined for a page. */
export function exchangeOf(req: OwnedMessage): Exchange | undefined {
  return req[owner]
}

export interface ExchangeOptions {
  readonly headers: RequestHeaders
  readonly target: ApiTarget
  /** Position on its connection, from 1. */
  readonly requestNumber: number
  readonly server: ServerState
}

/** One API request and its reply: collects the body, calls the handler, writes the reply. */
export class Exchange {
  readonly #res: ServerResponse
  readonly #headers: RequestHeaders
  readonly #target: ApiTarget
  readonly #requestNumber: number
  readonly #server: ServerState
  readonly #isPost: boolean
  readonly #address: string
  readonly #headReadAt: number | undefined
  readonly #body = new BodyBuffer(maxBodyBytes)
  readonly #charge: MemoryCharge
  /** The bound of memory that was reached when the head was read: the body is thrown away, and the request refused. */
  readonly #fullScope: FullScope | null
  /** Bytes that were discarded after the refusal. */
  #discarded = 0
  #linger: NodeJS.Timeout | undefined
  #state: 'collecting' | 'waiting' | 'handling' | 'discarding' | 'ended' = 'collecting'

  constructor(req: OwnedMessage, res: ServerResponse, { headers, target, requestNumber, server }: ExchangeOptions) {
    this.#res = res
    this.#headers = headers
    this.#target = target
    this.#requestNumber = requestNumber
    this.#server = server
    this.#headReadAt = server.now?.()
    this.#isPost = req.method === 'POST'
    this.#address = clientAddress(req.socket.remoteAddress ?? '', req.rawHeaders, server.proxies)
    this.#charge = server.memory.open(req.socket, this.#address)
    this.#fullScope = this.#charge.findFull(0)
    server.open++
    req[owner] = this
    req.on('data', takeChunk)
    req.on('end', endBody)
    req.on('close', dropBody)
    if (headers.contentLength > maxBodyBytes) this.refuse('bodyTooLarge')
    else if (this.#charge.isFlood) this.refuse('tooManyReplies')
  }

  /** Whether the request has not arrived in full yet. */
  get isCollecting(): boolean {
    return this.#state === 'collecting' && !this.#res.req.complete
  }

  addChunk(chunk: Buffer): void {
    if (this.#state !== 'collecting') this.#discard(chunk)
    else if (this.#fullScope !== null) chunk.fill(0)
    else if (this.#charge.findFull(chunk.length) !== null) this.#refuseWith(chunk, 'tooManyBodies')
    else if (!this.#body.add(chunk)) this.refuse('bodyTooLarge')
    else this.#charge.set(this.#body.capacity + requestObjectBytes)
  }

  finishBody(): void {
    if (this.#state !== 'collecting') this.#end()
    else if (isAfterLast(this.#res.req.socket, this.#requestNumber)) this.abandon()
    else this.#admit()
  }

  /**
   * Refuses at once, and closes the connection when the rest of the body has arrived, or is too much or too late. Closing with unread bytes would
   * reset the connection, and the caller might never see the reason.
   */
  refuse(name: ProblemName): void {
    if (this.#state !== 'collecting') return
    this.#state = 'discarding'
    this.#body.wipe()
    this.#server.unreadReplies.count(this.#res, this.#charge, 0)
    if (closes(name)) closeAfter(this.#res.req.socket, this.#requestNumber)
    beginProblem(this.#res, name, [...corsHeaders(this.#headers.origin), ...this.#server.addedHeaders])
    this.#linger = setTimeout(() => this.#end(), lingerMs).unref()
  }

  /** Refuses a request that cannot go on: it is malformed, or took too long. */
  break(name: ProblemName): void {
    this.refuse(name)
    this.#end()
  }

  /** Drops the request: its connection is gone, or closes before this request. One that waits is dropped when its turn comes. */
  abandon(): void {
    if (this.#state === 'waiting') return
    this.#body.wipe()
    if (this.#state === 'collecting') this.#charge.release()
    if (this.#state === 'collecting' && !this.#res.req.complete && !this.#server.isDraining) this.#server.onAbort('request')
    if (this.#state === 'collecting' || this.#state === 'discarding') this.#finish()
  }

  /** A refusal is sent at once; any other request may wait for a turn of the event loop that has time for it. */
  #admit(): void {
    const { socket } = this.#res.req
    const refusal = this.#refusal() ?? (this.#server.shedder.admit(socket) ? null : 'overloaded')
    if (refusal !== null) {
      void this.#handle(refusal)
      return
    }
    this.#state = 'waiting'
    const waiting = waitingOf(socket)
    waiting.push(this)
    this.#server.turns.run(subscriberOf(this.#address), () => this.#begin())
    // Those that wait must not take the memory of those that arrive behind them: a client that pipelines waits for itself.
    if (this.#charge.isConnectionHalfFull) for (const exchange of [...waiting]) exchange.#begin()
  }

  #begin(): void {
    if (this.#state !== 'waiting') return
    const { inFlight, isDraining, onAbort, shedder } = this.#server
    const { socket } = this.#res.req
    shedder.begin()
    const waiting = waitingOf(socket)
    // Behind a proxy, one connection has requests of several clients.
    waiting.splice(waiting.indexOf(this), 1)
    if (!socket.destroyed) {
      void this.#handle(inFlight.enter(socket, this.#address))
      return
    }
    // Its client has gone, and may have sent it again elsewhere.
    this.#body.wipe()
    this.#charge.release()
    if (!isDraining) onAbort('reply')
    this.#finish()
  }

  async #handle(refusal: HttpRequest['refusal']): Promise<void> {
    this.#state = 'handling'
    const server = this.#server
    const { socket } = this.#res.req
    try {
      this.#reply(await server.handle(this.#request(refusal)))
    } catch (err) {
      server.onError(err)
      this.#charge.release()
      this.#res.destroy()
      this.#finish()
    } finally {
      if (refusal === null) server.inFlight.leave(socket, this.#address)
    }
  }

  #request(refusal: HttpRequest['refusal']): HttpRequest {
    const body = this.#body.take()
    // The calls are read from the body into memory of their own.
    this.#charge.set(2 * body.length + requestObjectBytes)
    const holdReply = (bytes: number): boolean => this.#holdReply(bytes)
    return toHttpRequest({
      headers: this.#headers,
      target: this.#target,
      refusal,
      body,
      address: this.#address,
      headReadAt: this.#headReadAt,
      holdReply,
    })
  }

  #holdReply(bytes: number): boolean {
    this.#charge.set(bytes + requestObjectBytes)
    return this.#charge.findFull(0) === null
  }

  /** Null if the request is to be handled, unless there are too many in progress when it is begun. */
  #refusal(): HttpRequest['refusal'] {
    if (!this.#isPost) return 'notPost'
    // A proxy that had just connected when the stop began cannot know; it tries no other service once it has sent the call.
    if (this.#server.isDraining && this.#requestNumber > 1) return 'draining'
    return this.#fullScope === null ? null : refusalOf[this.#fullScope]
  }

  #reply(reply: HttpReply): void {
    const res = this.#res
    const { socket } = res.req
    const { closesConnections, isDraining, onAbort, unreadReplies, addedHeaders } = this.#server
    const { origin, isGzipAccepted } = this.#headers
    const { text, pieces, contentLength, ownBytes, isZipped } = bodyOf(reply, isGzipAccepted)
    const closesConnection = closesConnections && newestResponse(socket) === res
    // A request that arrives behind this reply gets none of its own, so it must not run.
    if (closesConnection) closeAfter(socket, this.#requestNumber)
    if (socket.destroyed && !isDraining) onAbort('reply')
    unreadReplies.count(res, this.#charge, ownBytes)
    res.writeHead(reply.status, replyHeaders(reply, { contentLength, isZipped, origin, addedHeaders, closesConnection }))
    for (const piece of pieces) res.write(piece)
    res.end(text ?? undefined)
    unreadReplies.watch(socket)
    this.#finish()
  }

  #refuseWith(chunk: Buffer, name: ProblemName): void {
    this.refuse(name)
    this.#discard(chunk)
  }

  #discard(chunk: Buffer): void {
    chunk.fill(0)
    this.#discarded += chunk.length
    if (this.#discarded <= maxDiscardedBytes) return
    this.#end()
    this.#res.socket?.destroySoon()
  }

  #end(): void {
    if (this.#state !== 'discarding') return
    this.#res.end()
    this.#finish()
  }

  #finish(): void {
    this.#state = 'ended'
    clearTimeout(this.#linger)
    endRequest(this.#server)
  }
}

interface Refusal {
  readonly name: ProblemName
  readonly requestNumber: number
  readonly server: ServerState
}

/** Responds with a problem to a request that is not for the API. Its body is discarded and wiped. */
export function refuseRequest(req: IncomingMessage, res: ServerResponse, { name, requestNumber, server }: Refusal): void {
  const headers = new RequestHeaders(req.rawHeaders)
  new Exchange(req, res, { headers, target: noTarget, requestNumber, server }).refuse(name)
}

/** Responds to OPTIONS, CORS preflights included. */
export function respondToOptions(
  res: ServerResponse,
  { origin }: RequestHeaders,
  { addedHeaders }: Pick<ServerState, 'addedHeaders'>,
): void {
  res.writeHead(204, [...preflightHeaders(origin), ...dataHeaderList, ...addedHeaders])
  res.end()
}

/** Reads a request to its end, wipes it, and sends no response. */
export function discardRequest(req: IncomingMessage): void {
  req.on('data', (chunk: Buffer) => chunk.fill(0))
}

function takeChunk(this: OwnedMessage, chunk: Buffer): void {
  this[owner]?.addChunk(chunk)
}

function endBody(this: OwnedMessage): void {
  this[owner]?.finishBody()
}

function dropBody(this: OwnedMessage): void {
  this[owner]?.abandon()
}

/** The requests of a connection that wait for a turn, in their order. */
function waitingOf(socket: WaitingSocket): Exchange[] {
  const waiting = socket[waitingExchanges] ?? []
  socket[waitingExchanges] = waiting
  return waiting
}

interface WaitingSocket extends ApiSocket {
  [waitingExchanges]?: Exchange[]
}

const waitingExchanges = Symbol('requests that wait for a turn')
const owner = Symbol('exchange')
const refusalOf = { process: 'overloaded', address: 'addressBusy', connection: 'connectionBusy' } as const
const noTarget: ApiTarget = { segment: null, hasQuery: false }
const lingerMs = 1000
const maxDiscardedBytes = 1024 * 1024
