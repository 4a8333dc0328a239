import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

import type { Clock } from '../../../clock.ts'

import { decodeMessage, encodeMessage, IsoFormatError, type IsoMessage } from './codec.ts'
import type { IsoDialect } from './dialect.ts'

export interface IsoConnectionOptions {
  readonly host: string
  readonly port: number
  readonly dialect: IsoDialect
  /** Null: a private line without TLS. `ca`: PEM of the authorities to trust; null for those of the system. */
  readonly tls: { readonly ca: string | null } | null
  readonly clock: Pick<Clock, 'sleep' | 'now'>
  /** Makes the sign-on (`001`) and echo (`301`) of field 70. */
  readonly networkMessage: (code: '001' | '301') => Promise<IsoMessage>
  readonly connectTimeoutMs: number
  /** How often an open connection is checked by an echo. */
  readonly echoMs: number
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

/**
 * No byte of the message left this process: `notReached`, because there is no connection that is signed on; `notSent`, for another reason. `unknown`: it may
 * have arrived.
 */
export type IsoReply = { readonly kind: 'replied'; readonly message: IsoMessage } | { readonly kind: 'notReached' | 'notSent' | 'unknown' }

export interface IsoConnection {
  /** Sends a request and waits for its response, until the signal is aborted. Never throws. */
  request(message: IsoMessage, signal: AbortSignal): Promise<IsoReply>
  close(): void
}

/**
 * One connection to a host, shared by all calls: responses are matched to requests by field 11 (STAN), field 7 (time) and the type, in whatever order they
 * arrive. It is opened by the first call after it was lost. A response that nobody waits for, late or double, is dropped.
 */
export function makeIsoConnection(options: IsoConnectionOptions): IsoConnection {
  const { dialect, clock, log } = options
  const closing = new AbortController()
  const waiting = new Map<string, { readonly socket: Socket; readonly end: (reply: IsoReply) => void }>()
  let open: Promise<Socket | null> | null = null

  return Object.freeze({ request, close })

  async function request(message: IsoMessage, signal: AbortSignal): Promise<IsoReply> {
    if (signal.aborted || closing.signal.aborted) return { kind: 'notSent' }
    const socket = await (open ??= openOnce())
    // A caller that has gone meanwhile must find nothing sent.
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- changed while the socket was opened
    if (signal.aborted) return { kind: 'notSent' }
    return socket === null ? { kind: 'notReached' } : exchange(socket, message, signal)
  }

  function exchange(socket: Socket, message: IsoMessage, signal: AbortSignal): Promise<IsoReply> {
    const key = keyOf(message.mti, message)
    if (socket.destroyed) return Promise.resolve({ kind: 'notReached' })
    if (waiting.has(key) || signal.aborted) return Promise.resolve({ kind: 'notSent' })
    const frame = tryEncode(message)
    if (frame === null) return Promise.resolve({ kind: 'notSent' })
    return new Promise((resolve) => {
      const end = (reply: IsoReply): void => {
        waiting.delete(key)
        signal.removeEventListener('abort', giveUp)
        resolve(reply)
      }
      const giveUp = (): void => end({ kind: 'unknown' })
      signal.addEventListener('abort', giveUp, { once: true })
      waiting.set(key, { socket, end })
      socket.write(frame, () => frame.fill(0))
    })
  }

  /** Null, and a log line, for a message that the field table cannot express: nothing of it is sent. */
  function tryEncode(message: IsoMessage): Uint8Array | null {
    try {
      return encodeFrame(encodeMessage(message, dialect), dialect)
    } catch (err) {
      log('network_message_refused', { network: 'iso8583', err })
      return null
    }
  }

  /** Null when the host cannot be reached now, for whatever reason; the next call tries again. */
  function openOnce(): Promise<Socket | null> {
    const forget = (): void => {
      if (open === opening) open = null
    }
    const opening: Promise<Socket | null> = openSocket(forget)
      .catch((err: unknown) => {
        log('network_connection_failed', { network: 'iso8583', err })
        return null
      })
      .then((socket) => {
        if (socket === null) forget()
        return socket
      })
    return opening
  }

  async function openSocket(forget: () => void): Promise<Socket | null> {
    const { host, port, tls, connectTimeoutMs } = options
    const socket =
      tls === null
        ? connectPlain({ host, port })
        : connectTls({
            host,
            port,
            servername: host,
            minVersion: 'TLSv1.2',
            rejectUnauthorized: true,
            ...(tls.ca === null ? {} : { ca: tls.ca }),
          })
    const lost = new AbortController()
    socket.setNoDelay(true).unref()
    socket.on('error', (err) => log('network_connection_failed', { network: 'iso8583', err }))
    socket.on('close', () => {
      forget()
      lost.abort()
      // Calls over another connection, which was opened since, go on.
      for (const each of [...waiting.values()]) if (each.socket === socket) each.end({ kind: 'unknown' })
    })
    receiveFrames(socket)
    const timeout = AbortSignal.any([AbortSignal.timeout(connectTimeoutMs), closing.signal, lost.signal])
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once(tls === null ? 'connect' : 'secureConnect', () => resolve(true))
      timeout.addEventListener('abort', () => resolve(false), { once: true })
    })
    const signedOn = isOpen ? await signOn(socket, timeout) : null
    if (signedOn?.kind !== 'replied' || signedOn.message.fields[39] !== '00') {
      if (isOpen) log('network_sign_on_failed', { network: 'iso8583' })
      socket.destroy()
      return null
    }
    void echo(socket, AbortSignal.any([closing.signal, lost.signal]))
    return socket
  }

  /** Null when no number can be drawn for it. */
  async function signOn(socket: Socket, signal: AbortSignal): Promise<IsoReply | null> {
    const message = await options.networkMessage('001').catch(() => null)
    return message === null ? null : exchange(socket, message, signal)
  }

  /** A connection that is dead without being closed is found before a payment is sent over it. */
  async function echo(socket: Socket, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(options.echoMs, signal).catch(() => undefined)
      if (isAborted(signal)) return
      const message = await options.networkMessage('301').catch(() => null)
      if (message === null) continue
      const reply = await exchange(socket, message, AbortSignal.any([signal, AbortSignal.timeout(options.connectTimeoutMs)]))
      if (reply.kind !== 'replied') socket.destroy()
    }
  }

  function receiveFrames(socket: Socket): void {
    let buffered = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      try {
        for (let size = frameSize(buffered, dialect); size !== null && buffered.length >= size; size = frameSize(buffered, dialect)) {
          receive(decodeMessage(buffered.subarray(dialect.frame.bytes, size), dialect))
          buffered = buffered.subarray(size)
        }
      } catch (err) {
        // Where the next message begins is not known any more.
        log('network_reply_malformed', { network: 'iso8583', err })
        socket.destroy()
      }
    })
  }

  function receive(message: IsoMessage): void {
    const request = requestOf(message.mti)
    if (request !== null) waiting.get(keyOf(request, message))?.end({ kind: 'replied', message })
  }

  function close(): void {
    closing.abort()
    void open?.then((socket) => socket?.destroy())
    for (const { end } of [...waiting.values()]) end({ kind: 'unknown' })
  }
}

/** A function, because the type checker takes the value from before a wait for the present one. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted
}

/** A request and its repeat (0400, 0401) have the same response (0410), so the last digit does not count. */
function keyOf(mti: string, { fields }: IsoMessage): string {
  return `${mti.slice(0, 3)} ${String(fields[11])} ${String(fields[7])}`
}

/** The request type of a response: 0210 → 0200, 0230 → 0220. Null: no response. */
function requestOf(mti: string): string | null {
  const digit = Number(mti[2])
  return digit % 2 === 1 ? `${mti.slice(0, 2)}${String(digit - 1)}0` : null
}

/** The message with its length in front. Wipes the message. */
export function encodeFrame(message: Uint8Array, { frame: { bytes, encoding, countsItself } }: IsoDialect): Uint8Array {
  const length = message.length + (countsItself ? bytes : 0)
  const framed = new Uint8Array(bytes + message.length)
  const prefix = encoding === 'ascii' ? Buffer.from(String(length).padStart(bytes, '0'), 'latin1') : Buffer.alloc(bytes)
  if (encoding === 'binary') prefix.writeUIntBE(length, 0, bytes)
  framed.set(prefix)
  framed.set(message, bytes)
  message.fill(0)
  return framed
}

/** The size of the first frame with its length; null while that has not arrived. Throws `IsoFormatError` for a length that no message has. */
export function frameSize(buffered: Buffer, { frame: { bytes, encoding, countsItself } }: IsoDialect): number | null {
  if (buffered.length < bytes) return null
  const text = buffered.toString('latin1', 0, bytes)
  if (encoding === 'ascii' && !/^[0-9]+$/.test(text)) throw new IsoFormatError('the length of a message is not digits')
  const length = (encoding === 'ascii' ? Number(text) : buffered.readUIntBE(0, bytes)) - (countsItself ? bytes : 0)
  if (length < 12 || length > messageBytesMax) throw new IsoFormatError('the length of a message is not possible')
  return bytes + length
}

const messageBytesMax = 8192
