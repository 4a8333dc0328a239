import { closeSync, openSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join, relative } from 'node:path'

import type { OperatorOperationName, OperatorParams, OperatorResult } from '@tessera/contract/operations'

import type { OperatorReply, OperatorRequest } from '../../operations/operator.ts'
import { CannotGoOn } from '../exits.ts'

import type { CommandInput } from './command.ts'

/** Calls an operation of the service that runs on the settings' data folder. Throws `CannotGoOn` when none runs there, or when it refuses. */
export async function callService<Name extends OperatorOperationName>(
  input: CommandInput,
  operation: Name,
  params: OperatorParams<Name>,
  timeoutMs?: number,
): Promise<OperatorResult<Name>> {
  const folder = input.settings().config.dataFolder
  const reply = await callOperator(folder, { operation, params }, timeoutMs).catch((cause: unknown) => {
    throw new CannotGoOn('unavailable', `the service on ${shownFolder(folder)} cannot be asked (${codeOf(cause)}).`, { cause })
  })
  if (reply === null) throw new CannotGoOn('unavailable', noServiceOn(folder))
  if (!reply.ok) throw new CannotGoOn(reply.reason === 'internal_error' ? 'fault' : 'usage', reply.message)
  return reply.result as OperatorResult<Name>
}

/** `--data` is ./data by default, so a command from another folder than the service was started in looks in the wrong one. */
function noServiceOn(folder: string): string {
  return `no service is running on ${shownFolder(folder)}: start it with npm start, or name the folder of one that runs with --data`
}

/** A folder as it was probably typed: `./data` rather than its whole path, when it lies below. */
export function shownFolder(folder: string): string {
  const below = relative(process.cwd(), folder)
  return below === '' ? '.' : below.startsWith('..') ? folder : `./${below}`
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : 'unknown')
}

/** Sends a request to the service that runs on a data folder; null when none does. Throws when one is there and does not reply in time. */
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
    if (reply === null || typeof reply.ok !== 'boolean') throw new Error('it gave no answer')
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

/** A path that reaches the control socket of a data folder; `release` when it is not needed any more. */
export interface ControlPath {
  readonly path: string
  release(): void
}

/**
 * A socket's path has room for 107 bytes (sun_path, unix(7)); a longer one would be cut off silently. On Linux a long folder is reached by
 * an open descriptor of it, whose name under /proc is short; elsewhere null.
 */
export function controlPathOf(folder: string): ControlPath | null {
  const path = join(folder, controlSocketName)
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return { path, release: () => undefined }
  if (process.platform !== 'linux') return null
  const descriptor = openSync(folder, 'r')
  return { path: `/proc/self/fd/${String(descriptor)}/${controlSocketName}`, release: () => closeSync(descriptor) }
}

/** The first line that arrives, or null when the other side ended, sent too much or fell silent. One request a connection: a line of JSON each way. */
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
/** The verification of a long audit chain takes its time. */
export const longReplyTimeoutMs = 15 * 60_000
/** 107 on Linux, 103 on BSD and macOS. */
const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103
