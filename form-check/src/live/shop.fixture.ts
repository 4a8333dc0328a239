import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A shop that serves the pages of a test and records what is sent back to it. */
export interface ServedShop {
  readonly origin: string
  /** Path and body of every request that is not for one of its pages. */
  readonly received: string[]
  /** Serves a page and returns its address. */
  serve: (html: string, headers?: Readonly<Record<string, string>>) => string
  stop: () => void
}

export async function startServedShop(): Promise<ServedShop> {
  const pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>()
  const received: string[] = []
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    if (page === undefined) void readBody(request).then((body) => received.push(`${request.url ?? ''} ${body}`))
    const { html, headers } = page ?? { html: '{}', headers: {} }
    // With the header x-needs, the page is served only to a request with that cookie.
    const isClosed = headers['x-needs'] !== undefined && !(request.headers.cookie ?? '').includes(headers['x-needs'])
    response
      .writeHead(isClosed ? 403 : 200, { 'content-type': 'text/html; charset=utf-8', 'access-control-allow-origin': '*', ...headers })
      .end(html)
  })
  // A WebSocket (RFC 6455 §4.2.2) that completes the handshake and discards what it receives.
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
