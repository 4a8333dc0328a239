import type { Socket } from 'node:net'

/** What the command line asks a running service, one question a connection: a line of JSON there, a line of JSON back. */
export interface Question {
  readonly ask: string
  readonly [parameter: string]: unknown
}

export type Reply =
  | { readonly ok: true; readonly answer: unknown }
  /** `reason`: a word for programs; `message`: a line for people. */
  | { readonly ok: false; readonly reason: string; readonly message: string }

/** The first line that arrives, or null when the other side ended, said too much or fell silent. */
export function readLine(socket: Socket, bytesMax: number, silenceMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    let held = Buffer.alloc(0)
    const end = (line: string | null) => {
      socket.setTimeout(0)
      socket.removeAllListeners('data')
      resolve(line)
    }
    socket.setTimeout(silenceMs, () => end(null))
    socket.on('data', (chunk: Buffer) => {
      held = Buffer.concat([held, chunk])
      const lineEnd = held.indexOf(0x0a)
      if (lineEnd !== -1) end(held.toString('utf8', 0, lineEnd))
      else if (held.length > bytesMax) end(null)
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
export const questionBytesMax = 16 * 1024
export const replyBytesMax = 16 * 1024 * 1024
export const questionSilenceMs = 5000
export const replySilenceMs = 5000
/** A verification of a long audit chain takes its time. */
export const longReplySilenceMs = 15 * 60_000
