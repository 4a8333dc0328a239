import { createServer } from 'node:http'

/** The webhook endpoints of the shops: one server on this machine, whose replies depend on the path and on the time of the seeding run. */
export interface WebhookReceiver {
  readonly origin: string
  close(): Promise<void>
}

/** `/legacy` was taken down long ago; `/webhooks` is out of service during `isAway`. */
export async function openWebhookReceiver(isAway: () => boolean): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const [status, text] =
        request.url === '/legacy' ? [404, 'no such page'] : isAway() ? [503, 'deploying, come back later'] : [200, 'ok']
      response.writeHead(status, { 'content-type': 'text/plain', 'x-shop-version': '4.12.1' })
      response.end(text)
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
