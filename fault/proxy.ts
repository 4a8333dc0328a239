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
  /**
   * Resets the connection at the next COMMIT: `request`, before the database has it, or `reply`, when the database has committed. With `skip`, so many go
   * through before it. Null: none any more.
   */
  cutCommit(cut: CommitCut | null): void
  /** Whether the COMMIT of `cutCommit` is still to come. */
  isCutPending(): boolean
  close(): Promise<void>
}

export interface CommitCut {
  readonly at: 'request' | 'reply'
  readonly skip: number
}

export async function openProxy(target: { readonly host: string; readonly port: number }): Promise<Proxy> {
  const pairs = new Set<Pair>()
  let isHeld = false
  let resets = 0
  let cut: CommitCut | null = null
  /** Whether this is the COMMIT to cut. */
  const isCut = (at: CommitCut['at']): boolean => {
    if (cut?.at !== at) return false
    const { skip } = cut
    cut = skip === 0 ? null : { at, skip: skip - 1 }
    return skip === 0
  }
  const server = createServer({ pauseOnConnect: true }, (client) => {
    const pair: Pair = { client, upstream: connect({ ...target, noDelay: true }) }
    client.setNoDelay(true)
    pairs.add(pair)
    joinPair(pair, () => pairs.delete(pair))
    client.on('data', (chunk) => {
      if (chunk.includes(commitRequest) && isCut('request')) resetPair(pair)
      else pair.upstream.write(chunk)
    })
    pair.upstream.on('data', (chunk) => {
      const isCommitted = chunk.includes(committed)
      if (isCommitted && resets > 0) {
        resets -= 1
        resetPair(pair)
      } else if (isCommitted && isCut('reply')) resetPair(pair)
      else client.write(chunk)
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
    cutCommit: (next) => void (cut = next),
    isCutPending: () => cut !== null,
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

function resetPair({ client, upstream }: Pair): void {
  client.resetAndDestroy()
  upstream.destroy()
}

/** Ends both sides together; the caller forwards the data. */
function joinPair({ client, upstream }: Pair, ended: () => void): void {
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
/** Bind of the prepared statement `commit`, or a simple query of that text. */
const commitRequest = Buffer.from('commit\0')
