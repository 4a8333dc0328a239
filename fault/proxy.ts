import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A wire between a service and its database that can fail. */
export interface Proxy {
  /** Where the service is to connect to. */
  readonly port: number
  /** Nothing gets through any more, in either direction, and nobody is told. New connections are taken and are silent too. */
  hold(): void
  /** What was held goes on its way. */
  release(): void
  /** From now on the database's word that it committed is swallowed and the connection reset (RST), this often. */
  resetAtCommit(times: number): void
  /** Resets that are still to come. */
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

/** The way out is plain; the way back is looked at by the caller. */
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

/** A paused socket is not read: what was sent stays with the kernel, as packets do that are lost and sent again. */
function setFlow({ client, upstream }: Pair, flows: boolean): void {
  for (const socket of [client, upstream]) {
    if (flows) socket.resume()
    else socket.pause()
  }
}

/** CommandComplete of COMMIT in PostgreSQL's protocol (version 3, §55.7): its tag is a C string. */
const committed = Buffer.from('COMMIT\0')
