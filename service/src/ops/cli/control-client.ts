import { closeSync, openSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join, relative } from 'node:path'

import type { OperatorOperationName, OperatorParams, OperatorResult } from '@tessera/contract/operations'

import type { OperatorReply, OperatorRequest } from '../../operations/operator.ts'
import { ExitError } from '../exits.ts'

import type { CommandInput } from './command.ts'

/** Calls an operation of the service that runs on the data folder. Throws `ExitError` when none runs there, or when it refuses. */
export async function callService<Name extends OperatorOperationName>(
  input: CommandInput,
  operation: Name,
  params: OperatorParams<Name>,
  timeoutMs?: number,
): Promise<OperatorResult<Name>> {
  const folder = input.settings().config.dataFolder
  const reply = await callOperator(folder, { operation, params }, timeoutMs).catch((cause: unknown) => {
    throw new ExitError('unavailable', `the service on ${displayPath(folder)} cannot be reached (${codeOf(cause)}).`, { cause })
  })
  if (reply === null) throw new ExitError('unavailable', noServiceMessage(folder))
  if (!reply.ok) throw new ExitError(reply.reason === 'internal_error' ? 'internalError' : 'usage', reply.message)
  return reply.result as OperatorResult<Name>
}

/** `--data` is ./data by default, so a command that is run in another folder than the service looks in the wrong one. */
function noServiceMessage(folder: string): string {
  return `no service is running on ${displayPath(folder)}: start one with npm start, or give the folder of a running one with --data`
}

/** A folder inside the current one as a relative path: `./data`. */
export function displayPath(folder: string): string {
  const below = relative(process.cwd(), folder)
  return below === '' ? '.' : below.startsWith('..') ? folder : `./${below}`
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : 'unknown')
}

/** Sends a request to the service that runs on a data folder; null when none does. Throws when it does not reply in time. */
export async function callOperator(
  folder: string,
  request: OperatorRequest,
  timeoutMs: number = replyTimeoutMs,
): Promise<OperatorReply | null> {
  const socket = await connect(folder)
  if (socket === null) return null
  try {
    socket.write(`${JSON.stringify(request)}\n`)
    const reply = readJsonObject(await readLine(socket, replyBytesMax, timeoutMs))
    if (reply === null || typeof reply.ok !== 'boolean') throw new Error('no reply')
    return reply as unknown as OperatorReply
  } finally {
    socket.destroy()
  }
}

async function connect(folder: string): Promise<Socket | null> {
  const at = existingPath(folder)
  if (at === null) return null
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const socket = createConnection(at.path)
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(socket)
      })
    })
  } catch (err) {
    if (isNotListening(err)) return null
    throw err
  } finally {
    at.release()
  }
}

function existingPath(folder: string): ControlPath | null {
  try {
    return controlPathOf(folder)
  } catch (err) {
    if (isNotListening(err)) return null
    throw err
  }
}

function isNotListening(err: unknown): boolean {
  return ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes((err as NodeJS.ErrnoException).code ?? '')
}

/** A usable path of a data folder's control socket. Call `release` when it is no longer needed. */
export interface ControlPath {
  readonly path: string
  release(): void
}

/**
 * The path of a socket is limited to 107 bytes (sun_path, unix(7)); a longer one would be truncated silently. On Linux a long folder is reached
 * through an open descriptor, whose path under /proc is short. Null on other systems.
 */
export function controlPathOf(folder: string): ControlPath | null {
  const path = join(folder, controlSocketName)
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return { path, release: () => undefined }
  if (process.platform !== 'linux') return null
  const descriptor = openSync(folder, 'r')
  return { path: `/proc/self/fd/${String(descriptor)}/${controlSocketName}`, release: () => closeSync(descriptor) }
}

/** The first line received; null when the peer closed, sent too much, or sent nothing in time. A connection carries one request and one reply, a line of JSON each. */
export function readLine(socket: Socket, bytesMax: number, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const end = (line: string | null) => {
      socket.setTimeout(0)
      socket.removeAllListeners('data')
      resolve(line)
    }
    socket.setTimeout(timeoutMs, () => end(null))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const lineEnd = received.indexOf(0x0a)
      if (lineEnd !== -1) end(received.toString('utf8', 0, lineEnd))
      else if (received.length > bytesMax) end(null)
    })
    socket.once('close', () => end(null))
    socket.on('error', () => end(null))
  })
}

export function readJsonObject(line: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line ?? '')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

export const controlSocketName = 'control.sock'
const replyBytesMax = 16 * 1024 * 1024
const replyTimeoutMs = 5000
/** For the verification of a long audit chain. */
export const longReplyTimeoutMs = 15 * 60_000
/** 107 on Linux, 103 on BSD and macOS. */
const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103
