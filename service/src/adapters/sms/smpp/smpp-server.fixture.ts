import { EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'

/** A PDU of npm's `smpp`, which has no types. */
export interface ServerPdu {
  readonly command: string
  readonly sequence_number: number
  readonly short_message?: { readonly message: string | Buffer; readonly udh?: readonly Buffer[] }
  readonly [member: string]: unknown
  response(members?: Readonly<Record<string, unknown>>): ServerPdu
}

export interface ServerSession extends EventEmitter {
  send(pdu: ServerPdu): boolean
  deliver_sm(members: Readonly<Record<string, unknown>>, onResponse?: (response: ServerPdu) => void): boolean
  enquire_link(onResponse: (response: ServerPdu) => void): boolean
  destroy(): void
  close(): void
}

/** The server half of npm's `smpp` (independent of our codec), as a message centre. */
export interface SmppServer {
  readonly port: number
  readonly sessions: ServerSession[]
  /** Every PDU of a client, in order. */
  readonly received: ServerPdu[]
  /** How a `submit_sm` is responded to; null: not at all. */
  reply: (pdu: ServerPdu, session: ServerSession) => Readonly<Record<string, unknown>> | null
  /** The last session of each bind command. */
  readonly bound: Map<string, ServerSession>
  /** Status of the response to a bind command. */
  bindStatus: (command: string) => number
  /** Resolves when so many PDUs of a command have arrived. */
  untilReceived(command: string, count: number): Promise<readonly ServerPdu[]>
  close(): Promise<void>
}

interface SmppModule {
  createServer(options: object, listener: (session: ServerSession) => void): Server
}

const smpp = createRequire(import.meta.url)('smpp') as SmppModule

export async function startSmppServer(
  options: { readonly key?: string; readonly cert?: string; readonly port?: number } = {},
): Promise<SmppServer> {
  const arrivals = new EventEmitter().setMaxListeners(0)
  const started = {
    sessions: [] as ServerSession[],
    received: [] as ServerPdu[],
    reply: byDefault,
    bound: new Map<string, ServerSession>(),
    bindStatus: acceptBinds,
  }
  const server = smpp.createServer(options, (session) => {
    started.sessions.push(session)
    session.on('error', () => session.destroy())
    session.on('pdu', (pdu: ServerPdu) => {
      started.received.push(pdu)
      respond(session, pdu)
      arrivals.emit('pdu')
    })
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(started, {
    port: (server.address() as AddressInfo).port,
    async untilReceived(command: string, count: number) {
      for (;;) {
        const found = started.received.filter((pdu) => pdu.command === command)
        if (found.length >= count) return found
        await once(arrivals, 'pdu')
      }
    },
    async close() {
      for (const session of started.sessions) session.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })

  function respond(session: ServerSession, pdu: ServerPdu): void {
    if (pdu.command.startsWith('bind_')) {
      started.bound.set(pdu.command, session)
      session.send(pdu.response({ command_status: started.bindStatus(pdu.command) }))
    }
    if (pdu.command === 'enquire_link' || pdu.command === 'unbind') session.send(pdu.response())
    if (pdu.command !== 'submit_sm') return
    const members = started.reply(pdu, session)
    if (members !== null) session.send(pdu.response(members))
  }
}

const acceptBinds: SmppServer['bindStatus'] = () => 0
const byDefault: SmppServer['reply'] = (pdu) => ({ message_id: `m${String(pdu.sequence_number)}` })

/** The text of a `submit_sm`, as the server's decoder reads it. */
export function textOf({ short_message: short }: ServerPdu): string {
  return String(short?.message ?? '')
}
