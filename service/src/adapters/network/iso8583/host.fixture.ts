// A double of an ISO 8583 host: a ledger behind a TCP or TLS socket. It stands for the host of an acquirer; no real one is reachable from a test. Its
// messages are encoded by our own codec.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

import type { CertificateWithKey } from '../../http/certificate.fixture.ts'

import { decodeMessage, encodeMessage, type IsoMessage } from './codec.ts'
import { encodeFrame, frameSize } from './connection.ts'
import type { IsoDialect } from './dialect.ts'

/** What the host does with a message: sends these bytes or messages, or nothing. */
export type HostBehaviour = (request: IsoMessage, reply: IsoMessage, socket: Socket) => readonly (IsoMessage | Uint8Array)[]

export async function startIsoHost(
  dialect: IsoDialect,
  options: { readonly certified?: CertificateWithKey; readonly declines?: string } = {},
) {
  const received: IsoMessage[] = []
  const sockets = new Set<Socket>()
  const taken = new Map<string, number>()
  const replies = new Map<string, IsoMessage>()
  const host = { behave: ((_request, reply) => [reply]) as HostBehaviour }
  const onSocket = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    let buffered = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      for (let size = frameSize(buffered, dialect); size !== null && buffered.length >= size; size = frameSize(buffered, dialect)) {
        const request = decodeMessage(buffered.subarray(dialect.frame.bytes, size), dialect)
        buffered = buffered.subarray(size)
        received.push(request)
        const reply = replyTo(request)
        for (const sent of host.behave(request, reply, socket)) {
          socket.write(sent instanceof Uint8Array ? sent : encodeFrame(encodeMessage(sent, dialect), dialect))
        }
      }
    })
  }
  const server = options.certified === undefined ? createServer(onSocket) : createTlsServer({ ...options.certified }, onSocket)
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received,
    host,
    sockets,
    debitedTiyin: () => [...taken.values()].reduce((sum, tiyin) => sum + tiyin, 0),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }

  /** A request with the STAN and time of an earlier one has no second effect, and gets the same reply. */
  function replyTo({ mti, fields }: IsoMessage): IsoMessage {
    const key = `${mti.slice(0, 3)} ${String(fields[11])} ${String(fields[7])}`
    const known = replies.get(key)
    if (known !== undefined) return known
    const { 2: _pan, 14: _expiry, 38: _code, 90: _original, ...echoed } = fields
    const code = mti === '0800' ? '00' : apply(mti, fields)
    const reply = {
      mti: `${mti.slice(0, 2)}${String(Number(mti[2]) + 1)}0`,
      fields: { ...echoed, 39: code, ...(code === '00' && mti < '0400' ? { 38: 'A1B2C3' } : {}) },
    }
    replies.set(key, reply)
    return reply
  }

  function apply(mti: string, fields: IsoMessage['fields']): string {
    const amount = Number(fields[4])
    if (mti === '0100' || mti === '0200') {
      if (options.declines !== undefined && Buffer.from(fields[2] as Uint8Array).toString('latin1') === options.declines) return '51'
      taken.set(`${String(fields[11])}${String(fields[7])}`, amount)
      return '00'
    }
    const original = String(fields[90]).slice(4, 20)
    if (fields[2] !== undefined || !taken.has(original)) return fields[2] === undefined ? '25' : '30'
    taken.set(original, mti.startsWith('022') ? amount : 0)
    return '00'
  }
}
