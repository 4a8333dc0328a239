import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

import type { HttpRequest } from '../../server/http/request.ts'
import type { RequestHandler } from '../../server/pipeline.ts'
import type { WalkProgress } from '../../store/walk.ts'
import { ExitError } from '../exits.ts'

import { controlPathOf, readLine, requestBytesMax, toProgressLine } from './control-client.ts'

export interface ControlServer {
  close(): Promise<void>
}

/**
 * Listens on `<folder>/control.sock`, accessible to the service's own user only. A connection carries one JSON-RPC request and its reply, a line each,
 * and before the reply notifications of how far a long operation is. An operation that can be cancelled is cancelled when the connection ends. `handle` is the same request pipeline as that of the API. The caller holds the folder's lock, so an existing socket was left
 * behind by a stopped service.
 */
export async function listenControl(folder: string, handle: RequestHandler, onError: (err: unknown) => void): Promise<ControlServer> {
  const socketPath = controlPathOf(folder)
  if (socketPath === null)
    throw new ExitError(
      'invalidSettings',
      `The path of ${folder} is too long for a socket on this system: set TESSERA_DATA to a shorter one.`,
    )
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    if (open.size >= maxConnections) return void socket.destroy()
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    handleConnection(socket, handle).catch(onError)
  })
  rmSync(socketPath.path, { force: true })
  await listenPrivately(server, socketPath.path)
  server.on('error', onError)
  return Object.freeze({
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of open) socket.destroySoon()
      // The stop does not wait for a client that does not read its reply.
      const unread = setTimeout(() => open.forEach((socket) => socket.destroy()), lastReplyMs)
      await closed
      clearTimeout(unread)
      socketPath.release()
    },
  })
}

/** The umask makes the socket private from its creation; chmod is for systems that ignore the umask for sockets. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const maskBefore = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, () => resolve())
      server.once('listening', () => server.off('error', reject))
    })
    chmodSync(path, 0o600)
  } finally {
    process.umask(maskBefore)
  }
}

async function handleConnection(socket: Socket, handle: RequestHandler): Promise<void> {
  const line = await readLine(socket, requestBytesMax, requestTimeoutMs)
  if (socket.destroyed) return
  const left = new AbortController()
  socket.once('close', () => left.abort(new Error('the command ended')))
  // What a command sends after its request is of no interest, but that it ends is.
  socket.resume()
  const showProgress = (progress: WalkProgress): void => {
    if (socket.writable && !socket.writableNeedDrain) socket.write(`${JSON.stringify(toProgressLine(progress))}\n`)
  }
  const { text } = await handle({ ...requestWithoutHeaders, body: line ?? Buffer.alloc(0), terminal: { left: left.signal, showProgress } })
  socket.end(`${text}\n`)
}

/** What an HTTP request has beside its body. There is no Idempotency-Key: the operator sees the reply, and repeats a command by hand. */
const requestWithoutHeaders: Omit<HttpRequest, 'body'> = {
  refusal: null,
  segment: null,
  hasQuery: false,
  xAuth: null,
  origin: null,
  isFromBrowser: false,
  idempotencyKey: null,
  acceptLanguage: undefined,
  address: '',
}

const requestTimeoutMs = 5000
const maxConnections = 16
/** How long a client may take to read its reply when the service stops. */
const lastReplyMs = 1000
