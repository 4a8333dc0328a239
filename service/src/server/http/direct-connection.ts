import type { Server, Socket } from 'node:net'

import { plainAddress, subscriberOf } from '../../domain/limits/address.ts'

import { clientAddress } from './client-address.ts'
import { closeAfter, countRequest, isClosing, type ApiSocket } from './connections.ts'
import { readDirectRequest, type DirectRequest } from './direct-request.ts'
import { adoptSocket } from './direct-socket.ts'
import { accountOf, requestObjectBytes, type MemoryCharge } from './memory-budget.ts'
import { formatReplyHead } from './reply-head.ts'
import type { HttpReply, HttpRequest } from './request.ts'
import { toHttpRequest } from './request-headers.ts'
import { endRequest, type ServerState } from './server-state.ts'
import { bodyOf } from './shared-body.ts'

/**
 * Connections that are read without node:http, as long as each request on them is a small call (docs/decisions/0118-direct-requests.md).
 * With the first other one a connection is handed over to node, with the bytes that were read, and stays there.
 */
export interface DirectConnections {
  /** Takes over a connection that was accepted. Null: node has to serve it. */
  adopt(accepted: Socket): Socket | null
  /** Starts to read from it. */
  serve(socket: Socket): void
  /** Lets node read the requests that have arrived in part. Returns whether there are any, which it reads in this turn. */
  handOverParts(): boolean
  /** Closes those that have had a request and are between two. */
  closeIdle(): void
  closeAll(): void
}

export interface DirectServing {
  readonly server: Server
  readonly state: ServerState
  readonly bounds: DirectBounds
  /** Lets node serve a connection from here on. */
  readonly serveByNode: (socket: Socket) => void
}

export interface DirectBounds {
  readonly headersTimeoutMs: number
  readonly keepAliveMs: number
  /** Of a connection without any activity. */
  readonly idleMs: number
}

export function makeDirectConnections(serving: DirectServing): DirectConnections {
  const open = new Set<DirectConnection>()
  const bySocket = new WeakMap<Socket, DirectConnection>()
  return Object.freeze<DirectConnections>({
    adopt(accepted) {
      const socket = adoptSocket(
        accepted,
        serving.server,
        (bytes, length) => bySocket.get(socket as Socket)?.receive(bytes, length) ?? false,
      )
      return socket
    },
    serve(socket) {
      const connection = new DirectConnection(socket, serving, () => open.delete(connection))
      bySocket.set(socket, connection)
      open.add(connection)
    },
    handOverParts: () => [...open].filter((connection) => connection.handOverPart()).length > 0,
    closeIdle() {
      for (const connection of [...open]) if (connection.isIdle) connection.socket.destroy()
    },
    closeAll() {
      for (const { socket } of [...open]) socket.destroy()
    },
  })
}

/** One connection: a request, its reply, the next request. It replies as an `Exchange` does. */
class DirectConnection {
  readonly socket: ApiSocket
  readonly #serving: DirectServing
  readonly #state: ServerState
  readonly #leave: () => void
  #step: 'reading' | 'waiting' | 'handling' | 'writing' | 'handedOver' = 'reading'
  #hadRequest = false
  /** Of the request in progress. */
  #request: DirectRequest | null = null
  #requestNumber = 0
  #body: Buffer = noBytes
  #address = ''
  /** Of the client, where it is no proxy that names another one with each request. */
  readonly #ownAddress: string | null
  #headReadAt: number | undefined
  #charge: MemoryCharge | null = null
  /** What has arrived behind it, or, while none is in progress, a part of one. */
  #next: Buffer = noBytes
  #nextCharge: MemoryCharge | null = null
  #partTimer: NodeJS.Timeout | undefined

  constructor(socket: ApiSocket, serving: DirectServing, leave: () => void) {
    this.socket = socket
    this.#serving = serving
    this.#state = serving.state
    this.#leave = leave
    const peer = plainAddress(socket.remoteAddress ?? '')
    this.#ownAddress = serving.state.proxies.has(peer) ? null : peer
    this.#address = peer
    socket.setTimeout(serving.bounds.headersTimeoutMs)
    socket.on('timeout', this.#timeOut)
    socket.on('end', this.#end)
    socket.on('error', destroy)
    socket.once('close', this.#close)
  }

  get isIdle(): boolean {
    return this.#step === 'reading' && this.#hadRequest && !this.#hasPart
  }

  /** Takes what was read, and wipes it from the buffer. False: nothing more is read before the reply. */
  receive(bytes: Buffer, length: number): boolean {
    const received = bytes.subarray(0, length)
    if (this.#step === 'handedOver') return this.socket.push(copyAndWipe(received))
    if (this.#step === 'waiting' || this.#step === 'handling') return this.#holdNext(received)
    const whole = this.#hasPart ? this.#joinPart(received) : received
    const request = this.#step === 'reading' ? readDirectRequest(whole, whole.length) : null
    if (request === 'incomplete' ? this.#holdPart(whole) : request !== null && this.#accept(request, whole)) return true
    this.#handOver(copyAndWipe(whole))
    return true
  }

  get #hasPart(): boolean {
    return this.#step === 'reading' && this.#next.length > 0
  }

  /** Waits a moment for the rest of a body. Then node waits for it, with its time limits. */
  #holdPart(received: Buffer): boolean {
    if (this.#hold(received)) this.#partTimer = setTimeout(this.#handOverPart, partMs)
    else this.#handOver(this.#next)
    return true
  }

  #handOverPart = (): void => {
    if (this.#hasPart) this.#handOver(this.#next)
  }

  /** Lets node read what has arrived of a request. Returns whether there was any. */
  handOverPart(): boolean {
    const hasPart = this.#hasPart
    this.#handOverPart()
    return hasPart
  }

  #joinPart(received: Buffer): Buffer {
    clearTimeout(this.#partTimer)
    this.#nextCharge?.release()
    this.#nextCharge = null
    const whole = joinAndWipe(this.#next, received)
    this.#next = noBytes
    return whole
  }

  /** Holds what arrives behind the request in progress, and reads no more: its client waits for itself. */
  #holdNext(received: Buffer): false {
    const account = this.#hold(received) ? undefined : accountOf(this.socket)
    if (account !== undefined) this.#state.memory.cut(account, 'memory_full')
    return false
  }

  /** False: that is more than may be held. */
  #hold(received: Buffer): boolean {
    this.#next = joinAndWipe(this.#next, received)
    this.#nextCharge ??= this.#state.memory.open(this.socket, plainAddress(this.socket.remoteAddress ?? ''))
    this.#nextCharge.set(this.#next.length + requestObjectBytes)
    return this.#nextCharge.findFull(0) === null
  }

  /** False: node has to read it. */
  #accept(request: DirectRequest, received: Buffer): boolean {
    const { socket } = this
    const { isDraining, isApiHost, proxies, memory, shedder, turns, now } = this.#state
    if (isDraining || isClosing(socket) || !isApiHost(request.headers.host)) return false
    if (this.#ownAddress === null) this.#address = clientAddress(socket.remoteAddress ?? '', request.rawHeaders, proxies)
    const charge = memory.open(socket, this.#address)
    if (charge.isFlood || charge.findFull(received.length) !== null) {
      charge.release()
      return false
    }
    charge.set(received.length + requestObjectBytes)
    this.#headReadAt = now?.()
    this.#charge = charge
    this.#request = request
    this.#body = received.subarray(request.bodyStart)
    received.fill(0, 0, request.bodyStart)
    this.#requestNumber = countRequest(socket)
    this.#state.open++
    if (!this.#hadRequest) this.#startKeepAlive()
    if (!shedder.admit(socket)) {
      this.#handle('overloaded')
      received.fill(0, request.bodyStart)
      return true
    }
    this.#step = 'waiting'
    turns.run(subscriberOf(this.#address), this.#begin)
    // It waits for a later turn, and others are read into the buffer meanwhile.
    if (this.#isWaiting) this.#body = copyAndWipe(this.#body)
    received.fill(0, request.bodyStart)
    return true
  }

  get #isWaiting(): boolean {
    return this.#step === 'waiting'
  }

  #begin = (): void => {
    const { shedder, inFlight, isDraining, onAbort } = this.#state
    shedder.begin()
    if (!this.socket.destroyed) {
      this.#handle(inFlight.enter(this.socket, this.#address))
      return
    }
    // Its client has gone, and may have sent it again elsewhere.
    this.#body.fill(0)
    this.#charge?.release()
    if (!isDraining) onAbort('reply')
    endRequest(this.#state)
  }

  #handle(refusal: HttpRequest['refusal']): void {
    this.#step = 'handling'
    try {
      const reply = this.#state.handle(this.#toHttpRequest(refusal))
      if (reply instanceof Promise) void this.#replyLater(reply, refusal)
      else this.#finishCall(reply, refusal)
    } catch (err) {
      this.#fail(err, refusal)
    }
  }

  async #replyLater(reply: Promise<HttpReply>, refusal: HttpRequest['refusal']): Promise<void> {
    try {
      this.#finishCall(await reply, refusal)
    } catch (err) {
      this.#fail(err, refusal)
    }
  }

  #finishCall(reply: HttpReply, refusal: HttpRequest['refusal']): void {
    this.#reply(reply)
    this.#leaveInFlight(refusal)
  }

  #fail(err: unknown, refusal: HttpRequest['refusal']): void {
    this.#state.onError(err)
    this.#charge?.release()
    this.socket.destroy()
    endRequest(this.#state)
    this.#leaveInFlight(refusal)
  }

  #leaveInFlight(refusal: HttpRequest['refusal']): void {
    if (refusal === null) this.#state.inFlight.leave(this.socket, this.#address)
  }

  #toHttpRequest(refusal: HttpRequest['refusal']): HttpRequest {
    const body = this.#body
    this.#body = noBytes
    const { headers, target } = this.#request as DirectRequest
    // The calls are read from the body into memory of their own.
    this.#charge?.set(2 * body.length + requestObjectBytes)
    return toHttpRequest({
      headers,
      target,
      refusal,
      body,
      address: this.#address,
      headReadAt: this.#headReadAt,
      holdReply: this.#holdReply,
    })
  }

  #holdReply = (bytes: number): boolean => {
    this.#charge?.set(bytes + requestObjectBytes)
    return this.#charge?.findFull(0) === null
  }

  #reply(reply: HttpReply): void {
    const { socket } = this
    const { closesConnections, isDraining, onAbort, addedHeaders, unreadReplies, wallNow } = this.#state
    const { headers } = this.#request as DirectRequest
    const { text, pieces, contentLength, ownBytes, isZipped } = bodyOf(reply, headers.isGzipAccepted)
    const closesConnection = closesConnections && this.#next.length === 0
    if (closesConnection) closeAfter(socket, this.#requestNumber)
    if (socket.destroyed && !isDraining) onAbort('reply')
    this.#charge?.setReply(ownBytes)
    const head = formatReplyHead(
      reply,
      { contentLength, isZipped, origin: headers.origin, addedHeaders, closesConnection },
      { keepAliveMs: this.#serving.bounds.keepAliveMs, nowMs: wallNow() },
    )
    this.#step = 'writing'
    // A text of as many bytes as characters is ASCII, and is written faster so.
    if (text !== null) socket.write(head + text, contentLength === text.length ? 'latin1' : 'utf8', this.#finish)
    else {
      socket.cork()
      socket.write(head)
      pieces.forEach((piece, i) => socket.write(piece, i === pieces.length - 1 ? this.#finish : undefined))
      socket.uncork()
    }
    unreadReplies.watch(socket)
    endRequest(this.#state)
    if (closesConnection) socket.destroySoon()
    else if (this.#next.length > 0 && !socket.destroyed) this.#handOver(this.#next)
  }

  /** The kernel has taken the reply, or the connection is gone. */
  #finish = (): void => {
    if (this.#charge !== null) this.#state.unreadReplies.release(this.#charge, this.socket)
    this.#charge = null
    this.#request = null
    if (this.#step !== 'writing') return
    this.#step = 'reading'
    // It was another while its client was slow to read, or the call took long.
    if (this.socket.timeout !== this.#keepAliveMs) this.#startKeepAlive()
  }

  /** Takes ownership of the bytes, and wipes them when node has read them. What this has to write yet stands before what node writes. */
  #handOver(bytes: Buffer): void {
    const { socket } = this
    this.#step = 'handedOver'
    this.#leave()
    clearTimeout(this.#partTimer)
    this.#nextCharge?.release()
    socket.off('timeout', this.#timeOut).off('end', this.#end).off('error', destroy).off('close', this.#close)
    socket.unshift(bytes)
    // Node copies what it needs of it. Its parser is called by a listener of its own, which is added below, so that this one is called first.
    socket.once('data', (chunk: Buffer) => process.nextTick(() => chunk.fill(0)))
    this.#serving.serveByNode(socket)
  }

  #startKeepAlive(): void {
    this.#hadRequest = true
    this.socket.setTimeout(this.#keepAliveMs)
  }

  /** Node waits a second longer than it says. */
  get #keepAliveMs(): number {
    return this.#serving.bounds.keepAliveMs + 1000
  }

  #timeOut = (): void => {
    const { bounds } = this.#serving
    if (!this.#hadRequest) this.#emitClientError('ERR_HTTP_REQUEST_TIMEOUT')
    else if (this.#step === 'reading') this.socket.destroy()
    else if (this.socket.timeout === this.#keepAliveMs) this.socket.setTimeout(bounds.idleMs - bounds.keepAliveMs)
    else this.#state.unreadReplies.timeOut(this.socket)
  }

  #end = (): void => {
    if (this.#hasPart) this.#emitClientError('HPE_INVALID_EOF_STATE')
    else this.socket.end()
  }

  /** As node does, for a request that it could not read. */
  #emitClientError(code: string): void {
    this.#serving.server.emit('clientError', Object.assign(new Error('no request was read'), { code }), this.socket)
  }

  #close = (): void => {
    this.#leave()
    clearTimeout(this.#partTimer)
    this.#next.fill(0)
  }
}

function destroy(this: Socket): void {
  this.destroy()
}

function copyAndWipe(bytes: Buffer): Buffer {
  return joinAndWipe(noBytes, bytes)
}

/** In memory of its own: what else is in node's pool may be copied with it. */
function joinAndWipe(first: Buffer, second: Buffer): Buffer {
  const joined = Buffer.allocUnsafeSlow(first.length + second.length)
  first.copy(joined)
  second.copy(joined, first.length)
  first.fill(0)
  second.fill(0)
  return joined
}

const noBytes = Buffer.alloc(0)
/** For the packet after that of a head. */
const partMs = 50
