import type { Server, Socket } from 'node:net'

import { subscriberOf } from '../../domain/limits/address.ts'

import { clientAddress } from './client-address.ts'
import { closeAfter, countRequest, isClosing, type ApiSocket } from './connections.ts'
import { readDirectRequest, type DirectRequest } from './direct-request.ts'
import { adoptSocket } from './direct-socket.ts'
import { requestObjectBytes, type MemoryCharge } from './memory-budget.ts'
import { formatReplyHead } from './reply-head.ts'
import { toHttpRequest, type HttpReply, type HttpRequest } from './request.ts'
import { endRequest, type ServerState } from './server-state.ts'
import { bodyOf } from './shared-body.ts'

/**
 * Connections that are read without node:http, as long as each request on them is a small call that arrives in one piece (docs/decisions/0118-direct-requests.md).
 * With the first other one a connection is handed over to node, with the bytes that were read, and stays there.
 */
export interface DirectConnections {
  /** Takes over a connection that was accepted. Null: node has to serve it. */
  adopt(accepted: Socket): Socket | null
  /** Starts to read from it. */
  serve(socket: Socket): void
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
  #headReadAt: number | undefined
  #charge: MemoryCharge | null = null
  /** What has arrived behind it. */
  #next: Buffer = noBytes
  #nextCharge: MemoryCharge | null = null

  constructor(socket: ApiSocket, serving: DirectServing, leave: () => void) {
    this.socket = socket
    this.#serving = serving
    this.#state = serving.state
    this.#leave = leave
    socket.setTimeout(serving.bounds.headersTimeoutMs)
    socket.on('timeout', this.#timeOut)
    socket.on('end', this.#end)
    socket.on('error', destroy)
    socket.once('close', this.#close)
  }

  get isIdle(): boolean {
    return this.#step === 'reading' && this.#hadRequest
  }

  /** Takes what was read, and wipes it from the buffer. False: nothing more is read before the reply. */
  receive(bytes: Buffer, length: number): boolean {
    const received = bytes.subarray(0, length)
    if (this.#step === 'handedOver') return this.socket.push(copyAndWipe(received))
    if (this.#step === 'waiting' || this.#step === 'handling') return this.#holdNext(received)
    const request = this.#step === 'reading' ? readDirectRequest(bytes, length) : null
    if (request !== null && this.#accept(request, received)) return true
    this.#handOver(copyAndWipe(received))
    return true
  }

  /** Holds what arrives behind the request in progress, and reads no more: its client waits for itself. */
  #holdNext(received: Buffer): false {
    const held = Buffer.concat([this.#next, received])
    received.fill(0)
    this.#next.fill(0)
    this.#next = held
    this.#nextCharge ??= this.#state.memory.open(this.socket, this.#address)
    this.#nextCharge.set(held.length)
    if (this.#nextCharge.findFull(0) !== null) this.socket.destroy()
    return false
  }

  /** False: node has to read it. */
  #accept(request: DirectRequest, received: Buffer): boolean {
    const { socket } = this
    const { isDraining, isApiHost, proxies, memory, shedder, turns, now } = this.#state
    if (isDraining || isClosing(socket) || !isApiHost(request.headers.host)) return false
    this.#address = clientAddress(socket.remoteAddress ?? '', request.rawHeaders, proxies)
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
      void this.#handle('overloaded')
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
      void this.#handle(inFlight.enter(this.socket, this.#address))
      return
    }
    // Its client has gone, and may have sent it again elsewhere.
    this.#body.fill(0)
    this.#charge?.release()
    if (!isDraining) onAbort('reply')
    endRequest(this.#state)
  }

  async #handle(refusal: HttpRequest['refusal']): Promise<void> {
    this.#step = 'handling'
    const state = this.#state
    try {
      this.#reply(await state.handle(this.#toHttpRequest(refusal)))
    } catch (err) {
      state.onError(err)
      this.#charge?.release()
      this.socket.destroy()
      endRequest(state)
    } finally {
      if (refusal === null) state.inFlight.leave(this.socket, this.#address)
    }
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
    const { closesConnections, isDraining, onAbort, addedHeaders, unreadReplies } = this.#state
    const { headers } = this.#request as DirectRequest
    const { text, pieces, contentLength, ownBytes, isZipped } = bodyOf(reply, headers.isGzipAccepted)
    const closesConnection = closesConnections && this.#next.length === 0
    if (closesConnection) closeAfter(socket, this.#requestNumber)
    if (socket.destroyed && !isDraining) onAbort('reply')
    this.#charge?.setReply(ownBytes)
    const head = formatReplyHead(
      reply,
      { contentLength, isZipped, origin: headers.origin, addedHeaders, closesConnection },
      this.#serving.bounds.keepAliveMs / 1000,
    )
    this.#step = 'writing'
    if (text !== null) socket.write(head + text, this.#finish)
    else {
      socket.cork()
      socket.write(head)
      pieces.forEach((piece, i) => socket.write(piece, i === pieces.length - 1 ? this.#finish : undefined))
      socket.uncork()
    }
    unreadReplies.watch(socket)
    endRequest(this.#state)
    if (closesConnection) socket.destroySoon()
    else if (this.#next.length > 0) this.#handOver(this.#next)
  }

  /** The kernel has taken the reply, or the connection is gone. */
  #finish = (): void => {
    if (this.#charge !== null) this.#state.unreadReplies.release(this.#charge, this.socket)
    this.#charge = null
    this.#request = null
    if (this.#step === 'writing') this.#step = 'reading'
  }

  /** Takes ownership of the bytes, and wipes them when node has read them. What this has to write yet stands before what node writes. */
  #handOver(bytes: Buffer): void {
    const { socket } = this
    this.#step = 'handedOver'
    this.#leave()
    this.#nextCharge?.release()
    socket.off('timeout', this.#timeOut).off('end', this.#end).off('error', destroy).off('close', this.#close)
    socket.unshift(bytes)
    // Node copies what it needs of it. Its parser is called by a listener of its own, which is added below, so that this one is called first.
    socket.once('data', (chunk: Buffer) => process.nextTick(() => chunk.fill(0)))
    this.#serving.serveByNode(socket)
  }

  #startKeepAlive(): void {
    this.#hadRequest = true
    // Node waits a second longer than it says.
    this.socket.setTimeout(this.#serving.bounds.keepAliveMs + 1000)
  }

  #timeOut = (): void => {
    const { server, bounds } = this.#serving
    if (!this.#hadRequest)
      server.emit('clientError', Object.assign(new Error('no request'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), this.socket)
    else if (this.#step === 'reading') this.socket.destroy()
    else if (this.socket.timeout === bounds.keepAliveMs + 1000) this.socket.setTimeout(bounds.idleMs - bounds.keepAliveMs)
    else this.#state.unreadReplies.timeOut(this.socket)
  }

  #end = (): void => {
    this.socket.end()
  }

  #close = (): void => {
    this.#leave()
    this.#next.fill(0)
  }
}

function destroy(this: Socket): void {
  this.destroy()
}

function copyAndWipe(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  bytes.fill(0)
  return copy
}

const noBytes = Buffer.alloc(0)
