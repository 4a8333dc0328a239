import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

import type { OperatorReply, OperatorRequest } from '../../operations/operator.ts'
import { CannotGoOn } from '../exits.ts'

import { controlPathOf, readJsonObject, readLine } from './control-client.ts'

export interface ControlServer {
  close(): Promise<void>
}

/** Handles one request. What it throws is reported without its message. */
export type HandleOperatorRequest = (request: OperatorRequest) => Promise<OperatorReply>

/**
 * Listens on `<folder>/control.sock`, readable and writable by the service's own user alone. The caller holds the folder's lock, so a socket
 * that lies there already was left by a service that is gone.
 */
export async function listenControl(folder: string, handle: HandleOperatorRequest, failed: (err: unknown) => void): Promise<ControlServer> {
  const at = controlPathOf(folder)
  if (at === null)
    throw new CannotGoOn('settings', `The path of ${folder} is too long for a socket on this system: set TESSERA_DATA to a shorter one.`)
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    if (open.size >= maxConnections) return void socket.destroy()
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    converse(socket, handle, failed).catch(failed)
  })
  rmSync(at.path, { force: true })
  await listenPrivately(server, at.path)
  server.on('error', failed)
  return Object.freeze({
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of open) socket.destroySoon()
      // A client that does not read its reply is not waited for.
      const unread = setTimeout(() => open.forEach((socket) => socket.destroy()), lastReplyMs)
      await closed
      clearTimeout(unread)
      at.release()
    },
  })
}

/** The mask holds from the moment the socket appears; the mode is set again for systems that do not apply it to sockets. */
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

async function converse(socket: Socket, handle: HandleOperatorRequest, failed: (err: unknown) => void): Promise<void> {
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
    return { ok: false, reason: 'no_request', message: 'One line of JSON with a member "operation" was expected.' }
  try {
    return await handle({ operation: line.operation, params: line.params ?? {} })
  } catch (err) {
    failed(err)
    return { ok: false, reason: 'internal_error', message: 'The service could not answer; its log says why.' }
  }
}

export const requestBytesMax = 16 * 1024
const requestTimeoutMs = 5000
const maxConnections = 16
/** What a client has to read its reply in when the service ends. */
const lastReplyMs = 1000
