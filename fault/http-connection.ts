import { connect, type Socket } from 'node:net'

/** A reply over HTTP. */
export interface ConnectionReply {
  readonly status: number
  /** Status line and header fields, as received. */
  readonly head: string
  readonly body: string
}

/** One connection to a service: one request at a time, with keep-alive between them. */
export interface HttpConnection {
  /** Rejects with `ConnectionLost` when no reply came. An empty `idempotencyKey` means none. */
  post(path: string, xAuth: string, body: string, idempotencyKey?: string): Promise<ConnectionReply>
  /** Whether the service has not closed it. */
  isOpen(): boolean
  close(): void
}

/** The connection ended, or was silent for too long, before the reply: the outcome of the call is unknown. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/** Connects to `http://host:port`. Throws `ConnectionLost` when nothing listens. */
export async function openHttpConnection(url: string, maxReplySeconds = 30): Promise<HttpConnection> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  const reader = readReplies(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', (err) => reject(new ConnectionLost(err.message, { cause: err })))
  })
  return {
    async post(path, xAuth, body, idempotencyKey = '') {
      const length = Buffer.byteLength(body)
      const key = idempotencyKey === '' ? '' : `idempotency-key: ${idempotencyKey}\r\n`
      socket.write(`POST ${path} HTTP/1.1\r\nhost: ${host}\r\nx-auth: ${xAuth}\r\n${key}content-length: ${length}\r\n\r\n${body}`)
      const late = setTimeout(() => socket.destroy(new Error(`no reply in ${maxReplySeconds} s`)), maxReplySeconds * 1000)
      try {
        return await reader.next()
      } finally {
        clearTimeout(late)
      }
    },
    isOpen: reader.isOpen,
    close: () => socket.destroy(),
  }
}

/** Cuts the stream into replies by their content-length, which every reply of the service has. */
function readReplies(socket: Socket): { next(): Promise<ConnectionReply>; isOpen(): boolean } {
  let received: Buffer = Buffer.alloc(0)
  let lost: ConnectionLost | null = null
  let waiting: { resolve: (reply: ConnectionReply) => void; reject: (err: Error) => void } | null = null
  const end = (why: string): void => {
    lost ??= new ConnectionLost(why)
    waiting?.reject(lost)
    waiting = null
  }
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const cut = cutReply(received)
    if (cut === null) return
    received = received.subarray(cut.bytes)
    waiting?.resolve(cut.reply)
    waiting = null
  })
  socket.on('error', (err) => end(err.message))
  socket.on('end', () => end('the connection was closed'))
  socket.on('close', () => end('the connection was closed'))
  return {
    isOpen: () => lost === null,
    next: () =>
      new Promise((resolve, reject) => {
        if (lost === null) waiting = { resolve, reject }
        else reject(lost)
      }),
  }
}

/** The first whole reply in `received`, or null while it is not whole. */
export function cutReply(received: Buffer): { reply: ConnectionReply; bytes: number } | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const head = received.toString('latin1', 0, headEnd)
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  const bytes = headEnd + 4 + length
  if (received.length < bytes) return null
  return { reply: { status: Number(head.slice(9, 12)), head, body: received.toString('utf8', headEnd + 4, bytes) }, bytes }
}
