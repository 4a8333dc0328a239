import type { Server } from 'node:http'
import type { Socket } from 'node:net'

import { closeAfter, limitSockets, makeSocketLimit, refuseSocket } from './connections.ts'
import { makeDirectConnections, type DirectBounds, type DirectConnections } from './direct-connection.ts'
import type { ServerState } from './server-state.ts'

export interface AcceptOptions extends DirectBounds {
  readonly socketsPerAddressMax: number
  readonly hasTls: boolean
  /** Whether small calls are read without node:http where there is no TLS. */
  readonly readsDirectly: boolean
}

/**
 * Limits the connections of each address, lets the shedder know them, and decides who reads from them: node, or, where there is no TLS, first this server
 * itself. Null with TLS.
 */
export function acceptConnections(server: Server, state: ServerState, options: AcceptOptions): DirectConnections | null {
  const { socketsPerAddressMax, hasTls, readsDirectly } = options
  const watch = (socket: Socket): void => {
    state.shedder.open(socket)
    socket.once('close', () => state.shedder.close(socket))
  }
  if (hasTls) {
    limitSockets(server, socketsPerAddressMax, state.proxies)
    server.on('secureConnection', watch)
    return null
  }
  const serveByNode = takeNodeListener(server)
  const isWithinLimit = makeSocketLimit(socketsPerAddressMax, state.proxies)
  const direct = makeDirectConnections({ server, state, bounds: options, serveByNode })
  server.on('connection', (accepted: Socket) => {
    const adopted = readsDirectly ? direct.adopt(accepted) : null
    const socket = adopted ?? accepted
    const isRefused = !isWithinLimit(socket)
    if (adopted === null || isRefused) serveByNode(socket)
    else direct.serve(adopted)
    watch(socket)
    if (!isRefused) return
    closeAfter(socket, 0)
    refuseSocket(socket, 'tooManySockets')
  })
  return direct
}

/** Takes the listener by which node reads HTTP from each connection off the server, so that it can be called later, or for another socket. */
function takeNodeListener(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners('connection')
  if (listener === undefined) throw new Error('a server of node:http listens for connections')
  server.off('connection', listener as (socket: Socket) => void)
  return (socket) => void Reflect.apply(listener, server, [socket])
}
