import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { makeHandClock } from '../../../testing/clock.fixture.ts'
import { makeHttpRequest } from '../../http/http-post.ts'
import { makeHttpSms } from './http-sms.ts'
import type { SmsTemplate } from './template.ts'
import type { Sms } from '../sms.ts'

/** A request as the gateway received it. */
export interface GatewayRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface GatewayReply {
  readonly status: number
  readonly body: string
}

/** A test double of an HTTP gateway on loopback: it records each request and replies as the test says; `silent` accepts without a reply. */
export interface GatewayDouble {
  readonly sms: Sms
  readonly requests: GatewayRequest[]
  readonly clock: ReturnType<typeof makeHandClock>
  close(): Promise<void>
}

export async function startGateway(
  template: SmsTemplate,
  reply: (request: GatewayRequest) => GatewayReply | 'silent',
): Promise<GatewayDouble> {
  const requests: GatewayRequest[] = []
  const server: Server = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    req.on('end', () => {
      const request = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body }
      requests.push(request)
      const given = reply(request)
      if (given !== 'silent') res.writeHead(given.status).end(given.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const clock = makeHandClock()
  const guard = { choose: async () => ({ address: '127.0.0.1', family: 4 }) }
  const request = makeHttpRequest({ guard, clock, timeoutMs: 3000, replyBytesMax: 4096 })
  const sms = makeHttpSms({
    template,
    baseUrl,
    request,
    clock,
    log: () => undefined,
    username: 'shop@example.uz',
    password: 'p"<&s',
    sender: '4546',
  })
  return {
    sms,
    requests,
    clock,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
