import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { RequestHandler } from '../pipeline.ts'
import type { TrustedProxies } from './client-address.ts'
import { createHttpServer } from './http-server.ts'

const loopback: TrustedProxies = { header: 'x-forwarded-for', has: (address) => address === '127.0.0.1' }

test('limits count the client that a trusted proxy names, and the peer if no proxy is trusted', async () => {
  assert.equal(await addressSeen(loopback), '198.51.100.7')
  assert.equal(await addressSeen(), '127.0.0.1')
})

async function addressSeen(proxies?: TrustedProxies): Promise<string> {
  const seen: string[] = []
  const answer: RequestHandler = async ({ address }) => {
    seen.push(address)
    return { status: 200, retryAfterSeconds: null, requestId: '', text: '{}' }
  }
  const http = createHttpServer({ handle: answer, ...(proxies === undefined ? {} : { proxies }) })
  const { port } = await http.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${String(port)}`
  await (await fetch(`${url}/api`, { method: 'POST', body: '{}', headers: { 'X-Forwarded-For': '192.0.2.1, 198.51.100.7' } })).text()
  await http.drain(1000)
  await http.close()
  return seen.join(' ')
}
