import { connect, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'

import { createHttpServer, type HttpServer, type HttpServerOptions } from '../server/http/http-server.ts'

/** One HTTP reply as received. */
export interface RawReply {
  readonly status: number
  /** By name in lower case; repeated ones joined by a comma. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** The body as a JSON-RPC response or a problem; all undefined if it is neither. */
  readonly said: Said
  /** The raw reply. */
  readonly raw: string
}

export interface Said {
  readonly jsonrpc?: string
  readonly id?: unknown
  readonly error?: { readonly code: number; readonly reason: string; readonly retry_after?: number }
  readonly status?: number
  readonly title?: string
  readonly detail?: string
}

/** A socket on which a test writes any bytes and reads replies one by one. */
export interface RawClient {
  readonly socket: Socket
  write(bytes: string | Uint8Array): void
  /** The next reply; `hasBody` false for the reply to HEAD. Rejects when the connection closes before one is whole. */
  next(hasBody?: boolean): Promise<RawReply>
  /** Resolves with the unread bytes when the server has closed the connection. */
  closed(): Promise<string>
}

/** Connects to a port of loopback; with `tls` by TLS. */
export async function openRaw(port: number, tls?: ConnectionOptions): Promise<RawClient> {
  const address = { port, host: '127.0.0.1', allowHalfOpen: true }
  const socket = tls === undefined ? connect(address) : connectTls({ ...address, ...tls })
  await new Promise((resolve, reject) => socket.once(tls === undefined ? 'connect' : 'secureConnect', resolve).once('error', reject))
  let held = Buffer.alloc(0)
  let isClosed = false
  let wake: () => void = () => undefined
  const moved = (): Promise<void> => new Promise((resolve) => (wake = resolve))
  socket.on('data', (bytes) => {
    held = Buffer.concat([held, bytes])
    wake()
  })
  for (const event of ['end', 'close', 'error'])
    socket.on(event, () => {
      isClosed = true
      wake()
    })
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    next: async (hasBody = true) => {
      for (;;) {
        const read = readReply(held, hasBody)
        if (read !== null) {
          held = held.subarray(read.length)
          return read.reply
        }
        if (isClosed) throw new Error(`the connection closed; left over: ${held.toString('latin1')}`)
        await moved()
      }
    },
    closed: async () => {
      while (!isClosed) await moved()
      socket.destroy()
      return held.toString('latin1')
    },
  }
}

function readReply(held: Buffer, hasBody: boolean): { reply: RawReply; length: number } | null {
  const head = held.indexOf('\r\n\r\n')
  if (head < 0) return null
  const [statusLine = '', ...lines] = held.toString('latin1', 0, head).split('\r\n')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value)
  }
  const length = head + 4 + (hasBody ? Number(headers.get('content-length') ?? 0) : 0)
  if (held.length < length) return null
  const body = held.toString('utf8', head + 4, length)
  const status = Number(statusLine.split(' ')[1])
  const reply = { status, headers, body, said: readSaid(body), raw: held.toString('utf8', 0, length) }
  return { reply, length }
}

function readSaid(body: string): Said {
  try {
    return JSON.parse(body) as Said
  } catch {
    return {}
  }
}

/** The HTTP server on a free port of loopback. */
export async function listenOnFreePort(
  options: HttpServerOptions,
): Promise<{ http: HttpServer; port: number; open: () => Promise<RawClient>; close: () => Promise<void> }> {
  const http = createHttpServer(options)
  const { port } = await http.listen({ port: 0, host: '127.0.0.1' })
  const clients: RawClient[] = []
  return {
    http,
    port,
    open: async () => {
      const client = await openRaw(port)
      clients.push(client)
      return client
    },
    close: async () => {
      for (const { socket } of clients) socket.destroy()
      await http.close()
    },
  }
}

/** A request as text. Content-Length is added unless `headers` has one or a transfer encoding. */
export function post(path: string, body: string, headers: readonly string[] = []): string {
  const isFramed = headers.some((header) => /^(content-length|transfer-encoding)\s*:/i.test(header))
  const framing = isFramed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, ...framing, '', body].join('\r\n')
}
