import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy between a service and its database, with faults. */
export interface Proxy {
  /** The port that the service connects to. */
  readonly port: number
  /** Stops all traffic silently, in both directions. New connections are accepted and are silent too. */
  hold(): void
  /** Lets the traffic through again, including what was held. */
  release(): void
  /** Drops the database's next replies to COMMIT, this many, and resets the connection (RST) each time. */
  resetAtCommit(times: number): void
  /** The number of resets that are still to come. */
  resetsLeft(): number
  close(): Promise<void>
}

export async function openProxy(target: { readonly host: string; readonly port: number }): Promise<Proxy> {
  const pairs = new Set<Pair>()
  let isHeld = false
  let resets = 0
  const server = createServer({ pauseOnConnect: true }, (client) => {
    const pair: Pair = { client, upstream: connect({ ...target, noDelay: true }) }
    client.setNoDelay(true)
    pairs.add(pair)
    joinPair(pair, () => pairs.delete(pair))
    pair.upstream.on('data', (chunk) => {
      if (resets > 0 && chunk.includes(committed)) {
        resets -= 1
        client.resetAndDestroy()
        pair.upstream.destroy()
      } else client.write(chunk)
    })
    setFlow(pair, !isHeld)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  const setAll = (held: boolean): void => {
    isHeld = held
    for (const pair of pairs) setFlow(pair, !held)
  }
  return {
    port: address.port,
    hold: () => setAll(true),
    release: () => setAll(false),
    resetAtCommit: (times) => void (resets = times),
    resetsLeft: () => resets,
    async close() {
      for (const { client, upstream } of pairs) {
        client.destroy()
        upstream.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
}

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
}

/** Forwards what the client sends; the caller forwards the replies. */
function joinPair({ client, upstream }: Pair, ended: () => void): void {
  client.on('data', (chunk) => upstream.write(chunk))
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('end', () => other.end())
    one.on('close', () => {
      other.destroy()
      ended()
    })
  }
}

/** A paused socket is not read: what was sent stays in the kernel, like packets that are lost and resent. */
function setFlow({ client, upstream }: Pair, flows: boolean): void {
  for (const socket of [client, upstream]) {
    if (flows) socket.resume()
    else socket.pause()
  }
}

/** CommandComplete of COMMIT in PostgreSQL's protocol (version 3, §55.7): its tag is a C string. */
const committed = Buffer.from('COMMIT\0')
