import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

import { secureContextOf, type ListenerTls } from './listener-tls.ts'

/**
 * Wipes the buffer that node's HTTP parser receives into. All connections of a thread share one of 64 KiB, each read starts at its first byte, and no
 * JavaScript can reach it: what a short request does not overwrite of a longer one, such as the card numbers of a batch, would stay there.
 */
export interface ReceiveBufferWiper {
  /** Opens the connection that the wiping goes through. */
  start(): Promise<void>
  /** Overwrites what this connection has received, before the next poll for input is over. Several calls of one turn of the event loop are one wipe. */
  wipe(socket: ReceivingSocket): void
  stop(): void
}

/** The socket of a request, with the number of bytes that were received on it when its buffer was last wiped. */
export interface ReceivingSocket extends Socket {
  [wipedBytes]?: number
}

/** Both ends of a connection of this process to itself. */
export interface ConnectionToSelf {
  readonly near: Socket
  readonly far: Socket
}

export interface ReceiveBufferOptions {
  /**
   * The certificate of a listener with TLS: the connection of the process to itself has TLS too, because what is decrypted passes through 16 KiB on the
   * stack on its way into the parser's buffer, and stays there.
   */
  readonly tls?: ListenerTls | null
  readonly connect?: () => Promise<ConnectionToSelf>
  readonly reopenDelayMs?: number
}

/**
 * Makes the parser read zeros: a connection of this process to itself carries one request whose body never ends, and each wipe sends as many bytes of it
 * as have been received. It is not reachable from outside: its listener is closed as soon as the process has connected.
 */
export function makeReceiveBufferWiper(
  onError: (cause: unknown) => void,
  { tls = null, connect = connectToSelf, reopenDelayMs = 1000 }: ReceiveBufferOptions = {},
): ReceiveBufferWiper {
  const server = createReader(tls, (length) => finish(length))
  const longest = tls === null ? bufferBytes : recordBytes
  let near: Socket | null = null
  let isStopped = false
  /** Bytes at the start of the buffer that have to be overwritten; 0: none. */
  let needed = 0
  /** Whether zeros are on their way. */
  let isSent = false
  return Object.freeze<ReceiveBufferWiper>({
    start: open,
    wipe(socket) {
      const received = socket.bytesRead
      needed = Math.min(longest, Math.max(needed, received - (socket[wipedBytes] ?? 0), leastBytes))
      socket[wipedBytes] = received
      if (!isSent) send()
    },
    stop() {
      isStopped = true
      near?.destroy()
    },
  })

  async function open(): Promise<void> {
    const pair = await connect()
    if (isStopped) return void pair.near.destroy()
    // What it carries is zeros, so it matters to nobody who the other end is.
    near = tls === null ? pair.near : connectTls({ socket: pair.near, rejectUnauthorized: false }).unref()
    pair.near.on('error', () => undefined)
    near.on('error', () => undefined)
    near.once('close', () => {
      near = null
      isSent = false
      pair.far.destroy()
      // Its request has ended after some 9 petabytes, or something outside has closed it.
      if (!isStopped) reopen()
    })
    server.emit('connection', pair.far)
    near.write(endlessRequest)
    if (needed > 0) send()
  }

  /** Nothing is wiped meanwhile, so it is tried until it succeeds, such as when the process has too many open files. */
  function reopen(): void {
    if (isStopped) return
    open().catch((cause: unknown) => {
      onError(cause)
      setTimeout(reopen, reopenDelayMs).unref()
    })
  }

  function send(): void {
    if (near === null) return
    isSent = true
    near.write(zeros.subarray(0, needed))
  }

  /** Zeros were read in one piece of this length. A piece that was too short, because more was received meanwhile, is followed by another. */
  function finish(length: number): void {
    if (length >= needed) {
      needed = 0
      isSent = false
    } else send()
  }
}

/** The far end: reads requests that never end, as any other is read. */
function createReader(tls: ListenerTls | null, onRead: (length: number) => void): Server {
  const options = { requestTimeout: 0, headersTimeout: 0 }
  const receive: RequestListener = (req) => {
    req.on('data', (chunk: Buffer) => onRead(chunk.length))
    req.on('error', () => undefined)
  }
  return tls === null ? createHttpServer(options, receive) : createTlsServer({ ...options, ...secureContextOf(tls) }, receive)
}

/** Two connected sockets of this process. The port is open until its own connection arrives, and no other is used. */
export async function connectToSelf(): Promise<ConnectionToSelf> {
  const listener = createServer({ noDelay: true })
  try {
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(0, '127.0.0.1', resolve)
    })
    const near = connectTo({ port: (listener.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true })
    const accepted: Socket[] = []
    let isAccepted = (): void => undefined
    listener.on('connection', (socket) => {
      accepted.push(socket.unref())
      isAccepted()
    })
    await new Promise<void>((resolve, reject) => near.once('connect', resolve).once('error', reject))
    const findOwn = (): Socket | undefined => accepted.find((socket) => socket.remotePort === near.localPort)
    let far = findOwn()
    for (; far === undefined; far = findOwn()) await new Promise<void>((resolve) => (isAccepted = resolve))
    for (const socket of accepted) if (socket !== far) socket.destroy()
    return { near: near.unref(), far }
  } finally {
    listener.close()
  }
}

const wipedBytes = Symbol('bytes received at the last wipe')
const bufferBytes = 64 * 1024
/** Of the longest record of TLS (RFC 8446 §5.1): no more is decrypted at a time. */
const recordBytes = 16 * 1024
/** More than a small request has, so that most wipes have one length. */
const leastBytes = 1024
const zeros = Buffer.alloc(bufferBytes)
const endlessRequest = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${String(Number.MAX_SAFE_INTEGER)}\r\n\r\n`
