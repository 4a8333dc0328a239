import { closeAfter, isClosing, newestReply, type ApiSocket } from './api-socket.ts'
import { exchangeOf } from './exchange.ts'
import type { ProblemName } from './problem.ts'
import { endSocket } from './sockets.ts'

/**
 * Node's `clientError`: the bytes on a socket are no HTTP, or did not come in time. The request that broke is answered in its turn, after the
 * replies to those before it, and the connection closes.
 */
export function answerBrokenRequest(err: Error & { code?: string; rawPacket?: unknown }, socket: ApiSocket): void {
  // The packet may hold a card number; node made this copy for us.
  if (err.rawPacket instanceof Uint8Array) err.rawPacket.fill(0)
  if (isClosing(socket)) return
  closeAfter(socket)
  if (err.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = problemOf(err.code)
  const owed = newestReply(socket)
  const exchange = owed === undefined ? undefined : exchangeOf(owed.req)
  if (exchange?.isCollecting) exchange.break(problem)
  else if (owed === undefined || owed.writableFinished || !owed.req.complete) endSocket(socket, problem)
  else owed.once('finish', () => endSocket(socket, problem))
}

function problemOf(code: string | undefined): ProblemName {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headersTooLarge'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'requestTimeout'
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'bodyTooLarge'
  return 'invalidHttp'
}
