import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'

import { percentile } from '../fault/statistics.ts'
import { runOpenLoop } from './open-loop.ts'

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

/** Replies at once, but not between two moments after the first request: a pause of the whole service. */
async function startServer(pause: { readonly fromMs: number; readonly toMs: number }): Promise<string> {
  let firstAt = 0
  const server = createServer((_request, response) => {
    const now = performance.now()
    firstAt ||= now
    const [from, to] = [firstAt + pause.fromMs, firstAt + pause.toMs]
    const reply = (): void => void response.end('{"result":1}')
    if (now >= from && now < to) setTimeout(reply, to - now)
    else reply()
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

const request = Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')

test('a pause of the service counts for every request that was due during it, also for those that wait for a connection', async () => {
  const url = await startServer({ fromMs: 200, toMs: 500 })
  const { durations, failed } = await runOpenLoop({
    url,
    perSecond: 200,
    ms: 1000,
    connections: 2,
    nextRequest: () => request,
    isResult: ({ body }) => body.includes('result'),
  })
  assert.deepEqual([durations.length, failed], [200, 0])
  // Of 200 requests, 60 were due in the pause: a closed loop on two connections would have seen two slow replies.
  const slow = durations.filter((ms) => ms > 30).length
  assert.ok(slow >= 45 && slow <= 110, `${String(slow)} slow replies`)
  assert.ok(percentile(durations, 0.99) > 200, `p99 ${String(percentile(durations, 0.99))} ms`)
})

test('a reply that is no result is counted with its text, and a connection that ends before its reply is an error', async () => {
  const loop = { perSecond: 100, ms: 200, connections: 2, nextRequest: () => request }
  const result = await runOpenLoop({ ...loop, url: await startServer({ fromMs: 0, toMs: 0 }), isResult: () => false })
  assert.deepEqual([result.failed, result.failure], [20, '200 {"result":1}'])
  const closing = createServer((_request, response) => response.destroy())
  servers.push(closing)
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${String((closing.address() as AddressInfo).port)}`
  await assert.rejects(runOpenLoop({ ...loop, url, isResult: () => true }), /closed before the reply|ECONNRESET/)
})
