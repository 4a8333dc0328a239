import { closeAfter, isClosing, newestResponse, refuseSocket, type ApiSocket } from './connections.ts'
import { exchangeOf } from './exchange.ts'
import type { LoadShedder } from './load-shedding.ts'
import type { ProblemName } from './problem.ts'
import type { ServerState } from './server-state.ts'

/**
 * Handles node's `clientError`: the bytes on a socket are not HTTP, or did not arrive in time. The response to the broken request follows those of the
 * requests before it, and the connection closes.
 */
export function handleClientError(
  err: Error & { code?: string; rawPacket?: unknown },
  socket: ApiSocket,
  { onAbort, shedder }: Pick<ServerState, 'onAbort'> & { readonly shedder: Pick<LoadShedder, 'release'> },
): void {
  // The packet may contain a card number; this copy was made by node for the error.
  if (err.rawPacket instanceof Uint8Array) err.rawPacket.fill(0)
  if (isClosing(socket)) return
  closeAfter(socket)
  // What is there is read now, so that closing does not reset the connection. It may have been there in time.
  const isShedding = shedder.release(socket)
  if (err.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = isShedding && err.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'tooManyBodies' : problemOf(err.code)
  const pending = newestResponse(socket)
  const exchange = pending === undefined ? undefined : exchangeOf(pending.req)
  // The client closed its side in the middle of a request. It may still read why there is no reply. A page's request is counted when it closes.
  const isNew = pending === undefined || pending.req.complete
  if (err.code === 'HPE_INVALID_EOF_STATE' && (isNew || exchange?.isCollecting)) onAbort('request')
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
