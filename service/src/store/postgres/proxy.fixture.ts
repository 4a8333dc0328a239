import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'

/** What a proxy does when a client says plain SQL, or the name of a prepared statement. */
export type Deed =
  | 'pass'
  /** The server never hears it; both connections break. */
  | 'cutBefore'
  /** The server hears it and answers, and the client never hears the answer. */
  | 'cutAfter'
  /** Nothing goes through any more, and nobody is told. */
  | 'hold'
  /** The server's answer is preceded by a warning of SQLSTATE 01000, as when a wait for a standby was cancelled. */
  | 'warn'
  /** The server never hears what is said up to the next Sync; the client is told of a deadlock. */
  | 'deadlock'

/** A proxy before a PostgreSQL server that understands just enough of its protocol to break at a chosen word. */
export interface Proxy {
  /** The server's URL, by way of the proxy. */
  readonly url: string
  /** All that clients have said, in its order. */
  readonly said: readonly string[]
  /** Asked for all that is said from now on. */
  behave(decide: (text: string) => Deed): void
  close(): Promise<void>
}

/** Opens a proxy before the server of a URL. */
export async function openProxy(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl)
  const said: string[] = []
  const sockets = new Set<Socket>()
  let decide: (text: string) => Deed = () => 'pass'
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || '5432'), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    relay(client, upstream, (text) => {
      said.push(text)
      return decide(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.href,
    said,
    behave: (next) => (decide = next),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function relay(client: Socket, upstream: Socket, hear: (text: string) => Deed): void {
  let deed: Deed = 'pass'
  const cut = (): void => {
    client.destroy()
    upstream.destroy()
  }
  client.on('close', () => upstream.destroy())
  upstream.on('close', () => client.destroy())

  let started = false
  onFrames(
    client,
    () => started,
    (frame) => {
      if (deed === 'hold') return
      const words = started ? wordsOf(frame) : null
      started = true
      if (words !== null && deed !== 'deadlock') deed = hear(words)
      if (deed === 'deadlock') {
        if (frame[0] !== 'S'.charCodeAt(0)) return
        deed = 'pass'
        client.write(DEADLOCK)
      } else if (deed === 'cutBefore') cut()
      else if (deed !== 'hold') upstream.write(frame)
    },
  )
  onFrames(
    upstream,
    () => true,
    (frame) => {
      if (deed === 'hold') return
      const isDone = frame[0] === 'C'.charCodeAt(0) && frame.toString('utf8', 5, 11) === 'COMMIT'
      if (deed === 'cutAfter' && isDone) cut()
      else if (deed === 'warn' && isDone) client.write(Buffer.concat([WARNING, frame]))
      else client.write(frame)
    },
  )
}

/** The text of a simple query, or the name of the prepared statement that is bound (of the unnamed portal). */
function wordsOf(frame: Buffer): string | null {
  const type = String.fromCharCode(frame[0] ?? 0)
  if (type === 'Q') return frame.toString('utf8', 5, frame.length - 1)
  return type === 'B' ? frame.toString('utf8', 6, frame.indexOf(0, 6)) : null
}

/** Calls with each whole message: one byte of type (not in the first of a client) and four of length. */
function onFrames(socket: Socket, isTyped: () => boolean, take: (frame: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const typeBytes = isTyped() ? 1 : 0
      if (rest.length < typeBytes + 4) return
      const length = typeBytes + rest.readUInt32BE(typeBytes)
      if (rest.length < length) return
      const frame = rest.subarray(0, length)
      rest = rest.subarray(length)
      take(frame)
    }
  })
}

function message(type: string, body: string): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(4 + Buffer.byteLength(body), 1)
  return Buffer.concat([head, Buffer.from(body)])
}

const WARNING = message('N', 'SWARNING\0VWARNING\0C01000\0Mcanceling the wait for synchronous replication\0\0')
/** An error, and that the server is ready again. */
const DEADLOCK = Buffer.concat([message('E', 'SERROR\0VERROR\0C40P01\0Mdeadlock detected\0\0'), message('Z', 'I')])
