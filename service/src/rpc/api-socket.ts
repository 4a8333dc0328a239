import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What we keep in mind of a connection, on the connection itself. */
export interface ApiSocket extends Socket {
  [turns]?: number
  [newest]?: ServerResponse
  [lastTurn]?: number
}

/** Gives a request its turn on a connection, from 1: replies go out in this order, whatever takes longest. */
export function takeTurn(socket: ApiSocket, res: ServerResponse): number {
  socket[newest] = res
  socket[turns] = (socket[turns] ?? 0) + 1
  return socket[turns]
}

/** The reply of the newest turn. */
export function newestReply(socket: ApiSocket): ServerResponse | undefined {
  return socket[newest]
}

/**
 * Says that a connection closes after the reply of a turn; by default the newest. Node goes on reading requests that lie in the same packet
 * behind one that was refused; none of them may be run, since we and a proxy before us may disagree on where they begin.
 */
export function closeAfter(socket: ApiSocket, turn = socket[turns] ?? 0): void {
  socket[lastTurn] = Math.min(turn, socket[lastTurn] ?? turn)
}

export function isClosing(socket: ApiSocket): boolean {
  return socket[lastTurn] !== undefined
}

/** Whether the connection closes before this turn comes. */
export function isBeyondLast(socket: ApiSocket, turn: number): boolean {
  return turn > (socket[lastTurn] ?? Infinity)
}

const turns = Symbol('turns')
const newest = Symbol('newest reply')
const lastTurn = Symbol('last turn')
