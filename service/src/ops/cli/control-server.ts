import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

import type { OperatorReply, OperatorRequest } from '../../operations/operator.ts'
import { ExitError } from '../exits.ts'

import { controlPathOf, readJsonObject, readLine } from './control-client.ts'

export interface ControlServer {
  close(): Promise<void>
}

/** Handles one request. An error that it throws is reported without its message. */
export type HandleOperatorRequest = (request: OperatorRequest) => Promise<OperatorReply>

/**
 * Listens on `<folder>/control.sock`, accessible to the service's own user only. The caller holds the folder's lock, so an existing socket was left
 * behind by a stopped service.
 */
export async function listenControl(
  folder: string,
  handle: HandleOperatorRequest,
  onError: (err: unknown) => void,
): Promise<ControlServer> {
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
    handleConnection(socket, handle, onError).catch(onError)
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

async function handleConnection(socket: Socket, handle: HandleOperatorRequest, failed: (err: unknown) => void): Promise<void> {
  const line = readJsonObject(await readLine(socket, requestBytesMax, requestTimeoutMs))
  if (socket.destroyed) return
  const reply = await handleSafely(line, handle, failed)
  socket.end(`${JSON.stringify(reply)}\n`)
}

async function handleSafely(
  line: Record<string, unknown> | null,
  handle: HandleOperatorRequest,
  failed: (err: unknown) => void,
): Promise<OperatorReply> {
  if (line === null || typeof line.operation !== 'string')
    return { ok: false, reason: 'no_request', message: 'Expected one line of JSON with a member "operation".' }
  try {
    return await handle({ operation: line.operation, params: line.params ?? {} })
  } catch (err) {
    failed(err)
    return { ok: false, reason: 'internal_error', message: 'Internal error. See the log of the service.' }
  }
}

export const requestBytesMax = 16 * 1024
const requestTimeoutMs = 5000
const maxConnections = 16
/** How long a client may take to read its reply when the service stops. */
const lastReplyMs = 1000
