import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { makeHandClock } from '../../testing/clock.fixture.ts'
import { makeHttpPost, makeHttpRequest } from '../http/http-post.ts'
import { exampleGatewaySms } from './example-gateway.ts'
import { describeSms, type SmsSetup } from './sms.suite.ts'

/** A test double of the gateway: an HTTP server on loopback with the skeleton's JSON. */
async function setUp(): Promise<SmsSetup> {
  const texts: string[] = []
  let next: 'accept' | 'reject' | 'silent' = 'accept'
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk: Buffer) => (body += chunk.toString()))
    req.on('end', () => {
      const behavior = next
      next = 'accept'
      if (behavior === 'reject') return res.writeHead(422).end()
      texts.push((JSON.parse(body) as { text: string }).text)
      return behavior === 'silent' ? undefined : res.writeHead(202).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const clock = makeHandClock()
  const guard = { choose: async () => ({ address: '127.0.0.1', family: 4 }) }
  const httpOptions = { guard, clock, timeoutMs: 3000, replyBytesMax: 1024 }
  const deps = {
    settings: { url: new URL(`http://127.0.0.1:${String(port)}/messages`), tokenFile: 'token' },
    http: makeHttpPost(httpOptions),
    request: makeHttpRequest(httpOptions),
    clock,
    log: () => undefined,
    dataFolder: '',
    store: null as never,
  }
  return {
    sms: exampleGatewaySms.create(deps),
    receivedTexts: async () => texts,
    rejectNext: async () => void (next = 'reject'),
    loseNextAnswer: async () => void (next = 'silent'),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

describeSms('example gateway', setUp)
