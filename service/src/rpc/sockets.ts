import type { Server } from 'node:http'
import type { Socket } from 'node:net'

import { closeAfter } from './api-socket.ts'
import { plainAddress, subscriberOf } from '../limits/address.ts'
import type { TrustedProxies } from './client-address.ts'
import { rawProblem, type ProblemName } from './problem.ts'

/** Holds the sockets of one address, or /64 of IPv6, to a number: one client cannot take them all. A trusted proxy brings those of many clients. */
export function capSockets(server: Server, socketsPerAddressMax: number, proxies: TrustedProxies): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (proxies.has(address)) return
    const subscriber = subscriberOf(address)
    const others = open.get(subscriber) ?? 0
    if (others >= socketsPerAddressMax) {
      closeAfter(socket, 0)
      endSocket(socket, 'tooManySockets')
      return
    }
    open.set(subscriber, others + 1)
    socket.once('close', () => {
      const left = (open.get(subscriber) ?? 1) - 1
      if (left > 0) open.set(subscriber, left)
      else open.delete(subscriber)
    })
  })
}

/** Says the last word on a socket from which no request could be read. What still comes is thrown away for a second, so that the word arrives. */
export function endSocket(socket: Socket, name: ProblemName): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(rawProblem(name))
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

const lingerMs = 1000
