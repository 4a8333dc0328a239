import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A page of a shop that a test serves, and what came back to the shop. */
export interface Shop {
  readonly origin: string
  /** Every request but for its pages: path and body. */
  readonly received: string[]
  /** Serves a page and tells its address. */
  serve: (html: string, headers?: Readonly<Record<string, string>>) => string
  stop: () => void
}

export async function startShop(): Promise<Shop> {
  const pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>()
  const received: string[] = []
  const server = createServer((request, reply) => {
    const page = pages.get(request.url ?? '')
    if (page === undefined) void readBody(request).then((body) => received.push(`${request.url ?? ''} ${body}`))
    const { html, headers } = page ?? { html: '{}', headers: {} }
    // A page that says so is shown to whoever sends its cookie.
    const isClosed = headers['x-needs'] !== undefined && !(request.headers.cookie ?? '').includes(headers['x-needs'])
    reply
      .writeHead(isClosed ? 403 : 200, { 'content-type': 'text/html; charset=utf-8', 'access-control-allow-origin': '*', ...headers })
      .end(html)
  })
  // A WebSocket (RFC 6455 §4.2.2) that answers the hello and hears.
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    socket.on('error', () => undefined).resume()
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    received,
    serve(html, headers = {}) {
      const path = `/page-${pages.size}`
      pages.set(path, { html, headers })
      return origin + path
    },
    stop() {
      server.close().closeAllConnections()
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('latin1')
}
