import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import { hostname } from 'node:os'

import { hostOf } from '../http/address-guard.ts'

import { CheckpointNotSent, type CheckpointDestination } from './checkpoint-destination.ts'

/**
 * Sends each checkpoint as a syslog message (RFC 5424) to `udp://host:port` (RFC 5426) or `tcp://host:port` (RFC 6587, octet counting). Neither has an
 * acknowledgement: UDP says nothing, TCP that the peer's system took the bytes.
 */
export function makeCheckpointSyslog(url: URL, now: () => number): CheckpointDestination {
  const host = hostOf(url)
  const isTcp = url.protocol === 'tcp:'
  const port = url.port === '' ? (isTcp ? 601 : 514) : Number(url.port)
  return Object.freeze<CheckpointDestination>({
    name: 'syslog',
    send(line, signal) {
      const message = formatSyslog(line, now())
      return isTcp ? sendByTcp(message, { host, port, signal }) : sendByUdp(message, { host, port })
    },
  })
}

/** Facility 13, log audit; severity 5, notice. */
export function formatSyslog(line: string, at: number): Buffer {
  const host = hostname().replace(/[^!-~]/g, '') || '-'
  return Buffer.from(
    `<${facility * 8 + severity}>1 ${new Date(at).toISOString()} ${host.slice(0, 255)} tessera ${process.pid} audit-checkpoint - ${line}`,
  )
}

interface SyslogPeer {
  readonly host: string
  readonly port: number
}

function sendByUdp(message: Buffer, { host, port }: SyslogPeer): Promise<void> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  return new Promise<void>((resolve, reject) => {
    socket.once('error', () => reject(new CheckpointNotSent('the syslog server could not be reached by UDP')))
    socket.send(message, port, host, (err) => (err === null ? resolve() : reject(new CheckpointNotSent('the datagram was not sent'))))
  }).finally(() => socket.close())
}

function sendByTcp(message: Buffer, { host, port, signal }: SyslogPeer & { readonly signal: AbortSignal }): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const fail = (): void => {
      socket.destroy()
      reject(new CheckpointNotSent('the syslog server could not be reached by TCP'))
    }
    signal.addEventListener('abort', fail, { once: true })
    if (signal.aborted) fail()
    socket.once('error', fail)
    // The peer's system has acknowledged all bytes when the connection has ended without an error.
    socket.once('close', (hadError) => {
      signal.removeEventListener('abort', fail)
      if (!hadError) resolve()
    })
    socket.once('connect', () => socket.end(Buffer.concat([Buffer.from(`${message.length} `), message])))
    socket.resume()
  })
}

const facility = 13
const severity = 5
