import type { Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'

import { plainAddress, subscriberOf } from '../../domain/limits/address.ts'

import type { TrustedProxies } from './client-address.ts'
import { rawProblem, type ProblemName } from './problem.ts'

/** A socket with its request counters. */
export interface ApiSocket extends Socket {
  [requestCount]?: number
  [newest]?: ServerResponse
  [lastRequest]?: number
}

/** Numbers a request on its connection, from 1. Responses are sent in this order. */
export function numberRequest(socket: ApiSocket, res: ServerResponse): number {
  socket[newest] = res
  return countRequest(socket)
}

/** Numbers a request that has no response of node's. */
export function countRequest(socket: ApiSocket): number {
  socket[requestCount] = (socket[requestCount] ?? 0) + 1
  return socket[requestCount]
}

/** The response to the newest request. */
export function newestResponse(socket: ApiSocket): ServerResponse | undefined {
  return socket[newest]
}

/**
 * Closes a connection after the response to a request; by default the newest. Node continues to read requests that follow a refused one in the same
 * packet. None of them may run: this server and a proxy in front of it may disagree on where they begin (request smuggling).
 */
export function closeAfter(socket: ApiSocket, requestNumber = socket[requestCount] ?? 0): void {
  socket[lastRequest] = Math.min(requestNumber, socket[lastRequest] ?? requestNumber)
}

export function isClosing(socket: ApiSocket): boolean {
  return socket[lastRequest] !== undefined
}

/** Whether the connection closes before this request is handled. */
export function isAfterLast(socket: ApiSocket, requestNumber: number): boolean {
  return requestNumber > (socket[lastRequest] ?? Infinity)
}

/**
 * Limits the sockets of one address, or IPv6 /64, so that one client cannot use up all of them. Those of a trusted proxy are not counted, since it
 * forwards many clients. Returns whether a new socket is within the limit; it is counted until it closes.
 */
export function makeSocketLimit(socketsPerAddressMax: number, proxies: TrustedProxies): (socket: Socket) => boolean {
  const open = new Map<string, number>()
  return (socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (proxies.has(address)) return true
    const subscriber = subscriberOf(address)
    const others = open.get(subscriber) ?? 0
    if (others >= socketsPerAddressMax) return false
    open.set(subscriber, others + 1)
    socket.once('close', () => {
      const left = (open.get(subscriber) ?? 1) - 1
      if (left > 0) open.set(subscriber, left)
      else open.delete(subscriber)
    })
    return true
  }
}

/** Refuses sockets of an address that has too many. */
export function limitSockets(server: Server, socketsPerAddressMax: number, proxies: TrustedProxies): void {
  const isWithinLimit = makeSocketLimit(socketsPerAddressMax, proxies)
  server.on('connection', (socket: Socket) => {
    if (isWithinLimit(socket)) return
    closeAfter(socket, 0)
    // Before its handshake a TLS client understands no reply.
    if (server instanceof TlsServer) socket.destroy()
    else refuseSocket(socket, 'tooManySockets')
  })
}

/** Writes a problem to a socket from which no request could be read. Further bytes are discarded for a second, so that the client receives the problem. */
export function refuseSocket(socket: Socket, name: ProblemName): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(rawProblem(name))
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

const requestCount = Symbol('request count')
const newest = Symbol('newest response')
const lastRequest = Symbol('last request')
const lingerMs = 1000
