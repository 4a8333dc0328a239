import { createConnection, createServer, type Socket } from 'node:net'

/**
 * What stands between the service and its database on real machines: a balancer, a firewall, a network. It passes on bytes, which are TLS. It may swallow
 * everything that the database says, so that nobody learns whether a COMMIT was done, and break the connections.
 */
export interface DatabaseRelay {
  readonly port: number
  swallowReplies: () => void
  /** Breaks every connection that lost a reply, and is honest again. Returns how many those were. */
  breakAndForward: () => number
  stop: () => Promise<void>
}

export async function startDatabaseRelay(upstreamPort: number): Promise<DatabaseRelay> {
  const clients = new Set<Socket>()
  const lost = new Set<Socket>()
  let isSwallowing = false
  const server = createServer((client) => {
    const upstream = createConnection({ host: '127.0.0.1', port: upstreamPort })
    clients.add(client)
    client.setNoDelay(true)
    upstream.setNoDelay(true)
    client.on('data', (chunk: Buffer) => {
      if (upstream.write(chunk)) return
      client.pause()
      upstream.once('drain', () => client.resume())
    })
    upstream.on('data', (chunk: Buffer) => {
      // A stream of TLS with a gap is of no use: the connection is lost, although nobody says so yet.
      if (isSwallowing) lost.add(client)
      if (lost.has(client)) return
      if (client.write(chunk)) return
      upstream.pause()
      client.once('drain', () => upstream.resume())
    })
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
    client.once('close', () => {
      clients.delete(client)
      lost.delete(client)
      upstream.destroy()
    })
    upstream.once('close', () => {
      // A server that ends closes its connections, which is a reply too.
      if (isSwallowing) lost.add(client)
      else client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay does not listen')
  return {
    port: address.port,
    swallowReplies: () => void (isSwallowing = true),
    breakAndForward() {
      isSwallowing = false
      const { size } = lost
      for (const client of lost) client.destroy()
      return size
    },
    async stop() {
      for (const client of clients) client.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
