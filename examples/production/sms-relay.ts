import { once } from 'node:events'
import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** How the gateway by HTTP replies to a message that it delivers: as agreed, or lying. */
export type ReplyBehaviour = 'honest' | 'ownPage' | 'serverError' | 'cut'

/** What stands between the service and its gateway by HTTP: a web server or balancer of the gateway. It passes every message on, and may change the reply. */
export interface SmsRelay {
  readonly port: number
  behave: (behaviour: ReplyBehaviour) => void
  /** Resolves when it has lied since the behaviour was set; rejects after a minute. */
  untilLied: () => Promise<void>
  stop: () => Promise<void>
}

export async function startSmsRelay(upstreamPort: number): Promise<SmsRelay> {
  let behaviour: ReplyBehaviour = 'honest'
  let lies = 0
  const server = createServer((request, response) => {
    forward(request, upstreamPort).then(
      ({ status, body }) => {
        if (behaviour !== 'honest') lies += 1
        reply(response, behaviour, { status, body })
      },
      // A gateway that is away has no connection to give.
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay does not listen')
  return {
    port: address.port,
    behave(wanted) {
      behaviour = wanted
      lies = 0
    },
    async untilLied() {
      for (let attempt = 0; lies === 0; attempt++) {
        if (attempt === 600) throw new Error(`no message came while the gateway by HTTP was ${behaviour}`)
        await pause(100)
      }
    },
    async stop() {
      server.close()
      server.closeAllConnections()
      await Promise.resolve()
    },
  }
}

interface GatewayReply {
  readonly status: number
  readonly body: Buffer
}

/** Rejects when the gateway does not reply. A caller that leaves takes its connection to the gateway with it. */
async function forward(request: IncomingMessage, port: number): Promise<GatewayReply> {
  const { method, url, headers } = request
  const upstream = sendRequest({ host: '127.0.0.1', port, method, path: url, headers, agent: false })
  request.socket.once('close', () => upstream.destroy())
  request.pipe(upstream)
  const [response] = (await once(upstream, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) }
}

function reply(response: ServerResponse, behaviour: ReplyBehaviour, { status, body }: GatewayReply): void {
  switch (behaviour) {
    case 'honest':
      response.writeHead(status).end(body)
      return
    case 'ownPage':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>The gateway is being maintained.</body></html>')
      return
    case 'serverError':
      response.writeHead(500).end('0: Accepted for delivery')
      return
    case 'cut':
      response.writeHead(status, { 'content-length': body.length + 1 })
      response.write(body, () => response.destroy())
  }
}
