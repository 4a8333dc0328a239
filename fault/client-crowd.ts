import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { cutReply } from './http-connection.ts'

/** Many clients, each with a connection of its own, that each want one reply a second. */
export interface ClientCrowd {
  readonly url: string
  readonly clients: number
  readonly ms: number
  /** The first three bytes of the addresses that they come from. Default: 127.0.8. */
  readonly network?: string
  /** Whether their calls come at irregular times, still one a second of each, so that they meet the service at every moment of what others do regularly. */
  readonly isIrregular?: boolean
  /** The next request, whole. */
  readonly next: () => string
  /** Called for each reply, with how long it took. */
  readonly onReply: (body: string, ms: number) => void
}

export interface CrowdCounts {
  readonly sent: number
  /** No reply came until the end, and two seconds after it. */
  readonly withoutReply: number
}

/**
 * Each client sends its next request a second after its last, or when the reply to that has come, so they offer one request per client and second to a
 * service that replies in time, and wait in line at one that does not. 400 of them come from each address.
 */
export async function runCrowd(crowd: ClientCrowd): Promise<CrowdCounts> {
  const { network = '127.0.8' } = crowd
  const clients = Array.from({ length: crowd.clients }, (_, at) => new CrowdClient(crowd, `${network}.${1 + Math.floor(at / 400)}`))
  for (let at = 0; at < clients.length; at += 100) await Promise.all(clients.slice(at, at + 100).map((client) => client.connected))
  const endsAt = performance.now() + crowd.ms
  for (const client of clients) client.start((Math.random() * 1000) | 0, endsAt)
  await pause(crowd.ms)
  for (let waits = 0; waits < 20 && clients.some(({ isWaiting }) => isWaiting); waits++) await pause(100)
  const counts = {
    sent: clients.reduce((all, { sent }) => all + sent, 0),
    withoutReply: clients.filter(({ isWaiting }) => isWaiting).length,
  }
  for (const client of clients) client.end()
  return counts
}

class CrowdClient {
  readonly connected: Promise<void>
  readonly #socket: Socket
  readonly #crowd: ClientCrowd
  #received: Buffer = Buffer.alloc(0)
  #sentAt: number | null = null
  #endsAt = 0
  sent = 0

  constructor(crowd: ClientCrowd, localAddress: string) {
    const { hostname, port } = new URL(crowd.url)
    this.#crowd = crowd
    this.#socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true })
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk)).on('error', () => undefined)
    this.connected = new Promise((resolve) => this.#socket.once('connect', resolve).once('close', resolve))
  }

  get isWaiting(): boolean {
    return this.#sentAt !== null
  }

  start(delayMs: number, endsAt: number): void {
    this.#endsAt = endsAt
    setTimeout(() => this.#send(), delayMs)
  }

  end(): void {
    this.#socket.destroy()
  }

  #send(): void {
    if (performance.now() >= this.#endsAt || this.#socket.destroyed) return
    this.#sentAt = performance.now()
    this.sent++
    this.#socket.write(this.#crowd.next())
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const cut = cutReply(this.#received)
    if (cut === null || this.#sentAt === null) return
    this.#received = this.#received.subarray(cut.bytes)
    const ms = performance.now() - this.#sentAt
    this.#sentAt = null
    this.#crowd.onReply(cut.reply.body, ms)
    const everyMs = this.#crowd.isIrregular === true ? 500 + Math.random() * 1000 : 1000
    setTimeout(() => this.#send(), Math.max(0, everyMs - ms))
  }
}
