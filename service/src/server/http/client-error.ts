import { closeAfter, isClosing, newestResponse, refuseSocket, type ApiSocket } from './connections.ts'
import { exchangeOf } from './exchange.ts'
import type { ProblemName } from './problem.ts'

/**
 * Handles node's `clientError`: the bytes on a socket are not HTTP, or did not arrive in time. The response to the broken request follows those of the
 * requests before it, and the connection closes.
 */
export function handleClientError(err: Error & { code?: string; rawPacket?: unknown }, socket: ApiSocket): void {
  // The packet may contain a card number; this copy was made by node for the error.
  if (err.rawPacket instanceof Uint8Array) err.rawPacket.fill(0)
  if (isClosing(socket)) return
  closeAfter(socket)
  if (err.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = problemOf(err.code)
  const pending = newestResponse(socket)
  const exchange = pending === undefined ? undefined : exchangeOf(pending.req)
  if (exchange?.isCollecting) exchange.break(problem)
  else if (pending === undefined || pending.writableFinished || !pending.req.complete) refuseSocket(socket, problem)
  else pending.once('finish', () => refuseSocket(socket, problem))
}

function problemOf(code: string | undefined): ProblemName {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headersTooLarge'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'requestTimeout'
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'bodyTooLarge'
  return 'invalidHttp'
}
