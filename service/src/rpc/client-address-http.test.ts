import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Answer } from './answer.ts'
import type { TrustedProxies } from './client-address.ts'
import { buildHttp } from './http.ts'

const loopback: TrustedProxies = { header: 'x-forwarded-for', has: (address) => address === '127.0.0.1' }

test('the door counts by the client whom a trusted proxy tells, and by the peer when nobody is trusted', async () => {
  assert.equal(await addressSeen(loopback), '198.51.100.7')
  assert.equal(await addressSeen(), '127.0.0.1')
})

async function addressSeen(proxies?: TrustedProxies): Promise<string> {
  const seen: string[] = []
  const answer: Answer = async ({ address }) => {
    seen.push(address)
    return { status: 200, retryAfterSeconds: null, requestId: '', text: '{}' }
  }
  const http = buildHttp({ answer, ...(proxies === undefined ? {} : { proxies }) })
  const url = await http.app.listen({ host: '127.0.0.1', port: 0 })
  await (await fetch(`${url}/api`, { method: 'POST', body: '{}', headers: { 'X-Forwarded-For': '192.0.2.1, 198.51.100.7' } })).text()
  await http.drain(1000)
  await http.app.close()
  return seen.join(' ')
}
