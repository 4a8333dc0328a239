import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'

/** What the proxy does with a query: plain SQL, or the name of a prepared statement. */
export type ProxyBehavior =
  | 'pass'
  /** The query does not reach the server; both connections break. */
  | 'cutBefore'
  /** The server responds, but the response does not reach the client. */
  | 'cutAfter'
  /** Nothing passes any more, and no connection is closed. */
  | 'hold'
  /** The query reaches the server; what the server sends from then on waits for `release`. */
  | 'delay'
  /** The response follows a warning with SQLSTATE 01000, as when the wait for a standby was cancelled. */
  | 'warn'
  /** Messages up to the next Sync do not reach the server; the client gets a deadlock error. */
  | 'deadlock'

/** A proxy in front of a PostgreSQL server that understands just enough of its protocol to break at a chosen query. */
export interface PostgresProxy {
  /** The server's URL with the proxy's address. */
  readonly url: string
  /** Every query of the clients, in order. */
  readonly queries: readonly string[]
  /** How often the clients have waited for the server: simple queries, and Sync messages. Several statements can share one. */
  countRoundTrips(): number
  /** Decides about every query from now on. */
  behave(decide: (text: string) => ProxyBehavior): void
  /** Passes on what was delayed. */
  release(): void
  close(): Promise<void>
}

/** Opens a proxy in front of the server of a URL. */
export async function openPostgresProxy(serverUrl: string): Promise<PostgresProxy> {
  const target = new URL(serverUrl)
  const queries: string[] = []
  let roundTrips = 0
  const sockets = new Set<Socket>()
  const releases: (() => void)[] = []
  let decide: (text: string) => ProxyBehavior = () => 'pass'
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || '5432'), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // As the driver and the server do: otherwise each direction of a round trip takes 40 ms.
      socket.setNoDelay(true)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    const onQuery = (text: string): ProxyBehavior => {
      queries.push(text)
      return decide(text)
    }
    const release = relay(client, upstream, onQuery, () => roundTrips++)
    releases.push(release)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(serverUrl)
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.href,
    queries,
    countRoundTrips: () => roundTrips,
    behave: (next) => (decide = next),
    release: () => {
      for (const release of releases) release()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns the function that passes on what was delayed. */
function relay(client: Socket, upstream: Socket, onQuery: (text: string) => ProxyBehavior, onRoundTrip: () => void): () => void {
  let behavior: ProxyBehavior = 'pass'
  const delayed: Buffer[] = []
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
      if (behavior === 'hold') return
      const query = started ? queryOf(frame) : null
      if (started && (frame[0] === 'Q'.charCodeAt(0) || frame[0] === 'S'.charCodeAt(0))) onRoundTrip()
      started = true
      if (query !== null && behavior !== 'deadlock') behavior = onQuery(query)
      if (behavior === 'deadlock') {
        if (frame[0] !== 'S'.charCodeAt(0)) return
        behavior = 'pass'
        client.write(DEADLOCK)
      } else if (behavior === 'cutBefore') cut()
      else if (behavior !== 'hold') upstream.write(frame)
    },
  )
  onFrames(
    upstream,
    () => true,
    (frame) => {
      if (behavior === 'hold') return
      if (behavior === 'delay') {
        delayed.push(frame)
        return
      }
      const isDone = frame[0] === 'C'.charCodeAt(0) && frame.toString('utf8', 5, 11) === 'COMMIT'
      if (behavior === 'cutAfter' && isDone) cut()
      else if (behavior === 'warn' && isDone) client.write(Buffer.concat([WARNING, frame]))
      else client.write(frame)
    },
  )
  return () => {
    if (behavior === 'delay') behavior = 'pass'
    for (const frame of delayed.splice(0)) client.write(frame)
  }
}

/** The text of a simple query, or the name of the prepared statement that is bound (of the unnamed portal). */
function queryOf(frame: Buffer): string | null {
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
/** An error, then ReadyForQuery. */
const DEADLOCK = Buffer.concat([message('E', 'SERROR\0VERROR\0C40P01\0Mdeadlock detected\0\0'), message('Z', 'I')])
