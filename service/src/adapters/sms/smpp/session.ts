import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

import type { Clock } from '../../../clock.ts'
import type { SmsConnection } from '../sms.ts'

import {
  decodeDeliver,
  decodeMessageId,
  encodeBind,
  encodePdu,
  isResponse,
  makePduReader,
  responseTo,
  smppCommands,
  SmppFormatError,
  smppStatuses,
  type BindBody,
  type DeliverBody,
  type SmppPdu,
} from './pdu.ts'

/** As what a session is bound (§2.2.1): a transmitter sends messages, a receiver gets delivery receipts, a transceiver does both. */
export type SmppBindAs = SmsConnection['bind']

export interface SmppSessionOptions {
  readonly host: string
  readonly port: number
  /** Null: a private line without TLS. `ca`: PEM of the authorities to trust; null for those of the system. */
  readonly tls: { readonly ca: string | null } | null
  readonly bind: BindBody
  readonly bindAs: SmppBindAs
  readonly clock: Pick<Clock, 'sleep' | 'moment'>
  /** For the connection with its bind, and for each response to `enquire_link`. */
  readonly replyTimeoutMs: number
  readonly enquireMs: number
  /** Resolves when a delivery is stored; rejects when it should come again. */
  readonly onDeliver: (body: DeliverBody) => Promise<void>
  readonly log: (event: string, err: unknown) => void
}

/** `unknown`: the connection was lost before a response came. `notSent`: no byte of the message left this process. */
export type SmppReply =
  | { readonly kind: 'replied'; readonly status: number; readonly messageId: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'notSent'; readonly why: string }

/** A bound connection to a message centre. */
export interface SmppSession {
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  /** Sends `submit_sm`, unless it is bound as a receiver. It stays in flight, for the window, until the reply resolves. */
  submit(body: Buffer): Promise<SmppReply>
  /** Unbinds and closes. */
  close(): void
}

interface PendingRequest {
  /** Of the monotonic clock. */
  readonly at: number
  readonly end: (reply: SmppReply) => void
}

/** Connects and binds; null, and a log line, when that does not succeed in time. */
export async function openSmppSession(options: SmppSessionOptions, signal: AbortSignal): Promise<SmppSession | null> {
  const { tls, replyTimeoutMs, bindAs } = options
  let logLines = 0
  const log: SmppSessionOptions['log'] = (event, err) => {
    logLines += 1
    options.log(event, err)
  }
  const socket = connectSocket(options)
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(replyTimeoutMs)])
  const isOpen = new Promise<boolean>((resolve) => {
    socket.once(tls === null ? 'connect' : 'secureConnect', () => resolve(true))
    timeout.addEventListener('abort', () => resolve(false), { once: true })
    void ended.then(() => resolve(false))
  })
  socket.on('error', (err) => log('sms_connection_failed', err))
  const exchange = makeExchange({ ...options, log }, socket)
  const reply = (await isOpen) ? await exchange.request(bindCommands[bindAs], encodeBind(options.bind), timeout) : null
  if (reply?.kind !== 'replied' || reply.status !== smppStatuses.ok) {
    if (reply?.kind === 'replied') log('sms_bind_refused', new Error(`status ${formatStatus(reply.status)}`))
    else if (logLines === 0 && !signal.aborted)
      log('sms_connection_failed', new Error(reply === null ? 'no connection' : 'no response to the bind'))
    socket.destroy()
    return null
  }
  void exchange.enquire()
  return {
    ended,
    submit: (body) => exchange.request(smppCommands.submitSm, body),
    close: () => {
      socket.end(encodePdu({ command: smppCommands.unbind, status: 0, sequence: 0x7fffffff, body: Buffer.alloc(0) }))
      setTimeout(() => socket.destroy(), closeMs).unref()
    },
  }
}

/** Hexadecimal, as in §5.1.3, without the zeros in front: 0x58. */
export function formatStatus(status: number): string {
  return `0x${status.toString(16).toUpperCase()}`
}

function connectSocket({ host, port, tls }: SmppSessionOptions): Socket {
  const socket =
    tls === null
      ? connectPlain({ host, port })
      : connectTls({
          host,
          port,
          ...(isIP(host) === 0 ? { servername: host } : {}),
          minVersion: 'TLSv1.2',
          rejectUnauthorized: true,
          ...(tls.ca === null ? {} : { ca: tls.ca }),
        })
  return socket.setNoDelay(true).unref()
}

/** Requests and responses over one connection, matched by their sequence numbers. A response that nobody waits for, late or double, is dropped. */
function makeExchange(options: SmppSessionOptions, socket: Socket) {
  const { clock, log, onDeliver, enquireMs, replyTimeoutMs } = options
  const pending = new Map<number, PendingRequest>()
  const lost = new AbortController()
  let sequence = 0
  let storing = 0

  const read = makePduReader(receive)
  socket.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (err) {
      if (!(err instanceof SmppFormatError)) throw err
      // Where the next PDU begins is not known any more.
      log('sms_reply_malformed', err)
      socket.destroy()
    }
  })
  socket.once('close', () => {
    lost.abort()
    for (const { end } of [...pending.values()]) end({ kind: 'unknown' })
  })
  return { request, enquire }

  function request(command: number, body: Buffer, signal?: AbortSignal): Promise<SmppReply> {
    // It is being closed: after an unbind of the message centre that may take as long as that likes.
    if (!socket.writable) return Promise.resolve({ kind: 'notSent', why: 'not connected' })
    const own = (sequence = (sequence % maxSequence) + 1)
    return new Promise((resolve) => {
      const end = (reply: SmppReply): void => {
        pending.delete(own)
        resolve(reply)
      }
      pending.set(own, { at: clock.moment().monotonicMs, end })
      signal?.addEventListener('abort', () => end({ kind: 'unknown' }), { once: true })
      write({ command, status: 0, sequence: own, body })
    })
  }

  function receive(pdu: SmppPdu): void {
    const { command, status, sequence: number } = pdu
    if (isResponse(command)) {
      const messageId = command === responseTo(smppCommands.submitSm) && status === 0 ? decodeMessageId(pdu.body) : ''
      // A generic_nack is never a success.
      const failure = command === smppCommands.genericNack && status === 0 ? smppStatuses.unknownError : status
      pending.get(number)?.end({ kind: 'replied', status: failure, messageId })
      return
    }
    if (command === smppCommands.deliverSm) void deliver(pdu, decodeDeliver(pdu.body))
    else if (command === smppCommands.enquireLink) respond(pdu)
    else if (command === smppCommands.unbind) {
      respond(pdu)
      socket.end()
    } else write({ command: smppCommands.genericNack, status: smppStatuses.invalidCommand, sequence: number, body: Buffer.alloc(0) })
  }

  /** It is acknowledged when it is stored. While many are being stored, no more are read. */
  async function deliver(pdu: SmppPdu, body: DeliverBody): Promise<void> {
    if (++storing >= maxStoring) socket.pause()
    try {
      await onDeliver(body)
      respond(pdu, smppStatuses.ok, Buffer.alloc(1))
    } catch {
      respond(pdu, smppStatuses.temporaryAppError, Buffer.alloc(1))
    } finally {
      if (--storing < maxStoring) socket.resume()
    }
  }

  function respond({ command, sequence: number }: SmppPdu, status: number = smppStatuses.ok, body = Buffer.alloc(0)): void {
    write({ command: responseTo(command), status, sequence: number, body })
  }

  function write(pdu: SmppPdu): void {
    if (!socket.writable) return
    socket.write(encodePdu(pdu))
    // A message centre that sends requests and reads no responses fills no memory.
    if (socket.writableLength > maxUnwrittenBytes) socket.destroy(new SmppFormatError('the message centre reads nothing'))
  }

  /** A connection that is dead without being closed is found before a message is given to it, and one that leaves messages without a response. */
  async function enquire(): Promise<void> {
    while (!lost.signal.aborted) {
      await clock.sleep(enquireMs, lost.signal).catch(() => undefined)
      if (isAborted(lost.signal)) return
      const oldest = Math.min(...[...pending.values()].map(({ at }) => at))
      const reply = await request(smppCommands.enquireLink, Buffer.alloc(0), AbortSignal.timeout(replyTimeoutMs))
      if (reply.kind === 'replied' && clock.moment().monotonicMs - oldest < maxPendingMs) continue
      log('sms_connection_failed', new Error(reply.kind === 'replied' ? 'messages get no response' : 'no response to enquire_link'))
      socket.destroy()
    }
  }
}

/** A function, because the type checker takes the value from before a wait for the present one. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted
}

const bindCommands: Readonly<Record<SmppBindAs, number>> = {
  transceiver: smppCommands.bindTransceiver,
  transmitter: smppCommands.bindTransmitter,
  receiver: smppCommands.bindReceiver,
}
const maxSequence = 0x7ffffffe
const maxStoring = 32
const maxUnwrittenBytes = 1024 * 1024
const maxPendingMs = 60_000
const closeMs = 500
