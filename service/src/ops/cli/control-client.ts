import { closeSync, openSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join, relative } from 'node:path'

import { errors, type ErrorBody } from '@tessera/contract/errors'
import { operatorOperations, type OperatorOperationName, type Params, type Result } from '@tessera/contract/operations'

import type { WalkProgress } from '../../store/walk.ts'
import { ExitError, type Exit } from '../exits.ts'

import type { CommandInput } from './command.ts'

/** Calls an operation of the service that runs on the data folder. Throws `ExitError` when none runs there, or when it refuses. */
export async function callService<Name extends OperatorOperationName>(
  input: CommandInput,
  operation: Name,
  params: Params<Name>,
  timeoutMs?: number,
): Promise<Result<Name>> {
  const folder = input.settings().config.dataFolder
  const reply = await callOperator(folder, operation, params, { timeoutMs, onProgress: input.progress.show }).catch((cause: unknown) => {
    if (cause instanceof ExitError) throw cause
    throw new ExitError('unavailable', `the service on ${displayPath(folder)} cannot be reached (${codeOf(cause)}).`, { cause })
  })
  if (reply === null) throw new ExitError('unavailable', noServiceMessage(folder))
  if ('error' in reply) throw new ExitError(exitOf(reply.error), describeError(operation, reply.error))
  return reply.result
}

function exitOf({ reason, data }: ErrorBody): Exit {
  if (reason === 'operator_refused') return refusalExits[(data as { readonly reason: string }).reason] ?? 'usage'
  if (reason === 'overloaded' || reason === 'store_unavailable') return 'unavailable'
  return reason === 'internal_error' || reason === 'store_full' || reason === 'outcome_unknown' ? 'internalError' : 'usage'
}

/** The others are about the request itself. */
const refusalExits: Readonly<Record<string, Exit>> = { copy_broken: 'damaged', kek_unavailable: 'unavailable' }

/** What the operator reads. For an invalid param, the contract's description of it says what was expected. */
function describeError(operation: OperatorOperationName, { code, reason, message, data }: ErrorBody): string {
  if (reason === 'operator_refused') return (data as { readonly message: string }).message
  if (reason === 'method_not_found') return 'Unknown operation: the service may be of another version.'
  const text = typeof data === 'string' ? data : ''
  if (reason === 'internal_error') return `Internal error. See the log of the service: request ${text}.`
  const [member = ''] = text.split('.')
  if (reason === 'pan_out_of_place') return `The param ${member} contains a card number: nothing was done. Leave it out.`
  if (reason === 'member_missing' || reason === 'member_invalid') {
    const properties = new Map<string, { readonly description?: unknown }>(Object.entries(operatorOperations[operation].params.properties))
    const description = properties.get(member)?.description
    return typeof description === 'string' ? description : `The param ${member} is missing or not of its form.`
  }
  const hint = Object.values(errors).find((entry) => entry.code === code && entry.reason === reason)?.hint
  return hint === undefined ? message : `${message} ${hint}`
}

/** `--data` is ./data by default, so a command that is run in another folder than the service looks in the wrong one. */
function noServiceMessage(folder: string): string {
  return `no service is running on ${displayPath(folder)}: start one with tessera start, or give the folder of a running one with --data`
}

/** A folder inside the current one as a relative path: `./data`. */
export function displayPath(folder: string): string {
  const below = relative(process.cwd(), folder)
  return below === '' ? '.' : below.startsWith('..') ? folder : `./${below}`
}

function codeOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : 'unknown')
}

/** The reply of the service: a JSON-RPC response. */
export type ControlReply<Name extends OperatorOperationName> = { readonly result: Result<Name> } | { readonly error: ErrorBody }

export interface OperatorCallOptions {
  /** How long the service may be silent. Default: 5 s. */
  readonly timeoutMs?: number | undefined
  readonly onProgress?: (progress: WalkProgress) => void
}

/** Calls an operation of the service that runs on a data folder; null when none does. Throws when it does not reply in time. */
export async function callOperator<Name extends OperatorOperationName>(
  folder: string,
  operation: Name,
  params: Params<Name>,
  { timeoutMs = replyTimeoutMs, onProgress }: OperatorCallOptions = {},
): Promise<ControlReply<Name> | null> {
  const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: operation, params })}\n`
  if (Buffer.byteLength(line) > requestBytesMax) throw new ExitError('usage', `A request has at most ${String(requestBytesMax)} bytes.`)
  const socket = await connect(folder)
  if (socket === null) return null
  try {
    socket.write(line)
    const reply = await readReply(socket, timeoutMs, onProgress)
    if (reply === null || !('result' in reply || 'error' in reply)) throw new Error('no reply')
    return reply as unknown as ControlReply<Name>
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

/** The reply, after any number of notifications. */
async function readReply(
  socket: Socket,
  timeoutMs: number,
  onProgress: OperatorCallOptions['onProgress'],
): Promise<Record<string, unknown> | null> {
  for await (const line of readLines(socket, replyBytesMax, timeoutMs)) {
    const reply = readJsonObject(line)
    if (reply?.['method'] !== progressMethod) return reply
    onProgress?.(reply['params'] as WalkProgress)
  }
  return null
}

/** The bytes of the first line received; null when the peer closed, sent too much, or sent nothing in time. */
export async function readLine(socket: Socket, bytesMax: number, timeoutMs: number): Promise<Buffer | null> {
  for await (const line of readLines(socket, bytesMax, timeoutMs)) return line
  return null
}

/** The lines received. They end when the peer closes, sends a line that is too long, or sends nothing in time; the socket stays open. */
async function* readLines(socket: Socket, bytesMax: number, timeoutMs: number): AsyncGenerator<Buffer> {
  const lines: Buffer[] = []
  let parts: Buffer[] = []
  let bytes = 0
  let isOver = false as boolean
  let wake = (): void => undefined
  const end = (): void => {
    isOver = true
    wake()
  }
  const receive = (chunk: Buffer): void => {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      lines.push(Buffer.concat([...parts, chunk.subarray(from, at)]))
      parts = []
      bytes = 0
      from = at + 1
    }
    parts.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > bytesMax) isOver = true
    wake()
  }
  socket.setTimeout(timeoutMs, end)
  socket.on('data', receive).once('close', end).on('error', end)
  try {
    for (;;) {
      const line = lines.shift()
      if (line !== undefined) yield line
      else if (isOver) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    socket.setTimeout(0)
    socket.off('data', receive).off('timeout', end).off('close', end)
  }
}

/** A notification of how far an operation is, before its reply. */
export function toProgressLine(progress: WalkProgress): object {
  return { jsonrpc: '2.0', method: progressMethod, params: progress }
}

function readJsonObject(line: Buffer | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line?.toString() ?? '')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const progressMethod = 'operator.progress'
const newline = 0x0a
export const controlSocketName = 'control.sock'
/** Of a request, a line of JSON. */
export const requestBytesMax = 16 * 1024
const replyBytesMax = 16 * 1024 * 1024
const replyTimeoutMs = 5000
/** For an operation that reads whole tables: how long it may be silent. */
export const longReplyTimeoutMs = 15 * 60_000
/** 107 on Linux, 103 on BSD and macOS. */
const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103
