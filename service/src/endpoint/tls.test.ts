import assert from 'node:assert/strict'
import { test } from 'node:test'

import { openShop } from '../../../examples/merchant-endpoint/shop.ts'
import { makeHandClock } from '../methods/clock.fixture.ts'
import { makeAuthority, type Certified } from '../outbound/certificate.fixture.ts'
import { makeGuard } from '../outbound/guard.ts'
import { startTlsServer, trustedAuthority, type TlsServer } from '../outbound/tls-server.fixture.ts'

import type { EndpointSaid } from './endpoint.ts'
import { makeMerchantApi } from './merchant-api.ts'
import { merchantLogin } from './merchant.fixture.ts'

const trusted = trustedAuthority()
const clock = makeHandClock()

/** The example shop behind TLS; what it said to a check, and what it heard. */
async function checkAt(certified: Certified): Promise<{ said: EndpointSaid; heard: TlsServer['heard'] }> {
  const shop = openShop({ findOrder: () => ({ sum: 500_000 }), now: () => clock.now() })
  const login = `Basic ${Buffer.from(`${merchantLogin.login}:${merchantLogin.password}`).toString('base64')}`
  const server = await startTlsServer({
    certified,
    answer: ({ headers }, reply, body) => {
      const call = JSON.parse(body) as Parameters<typeof shop.answer>[0]
      reply.end(JSON.stringify(headers.authorization === login ? shop.answer(call) : { error: { code: -32504, message: 'no' } }))
    },
  })
  const url = new URL(`https://shop.example:${String(server.port)}/`)
  const guard = makeGuard({ resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]), loopback: true })
  const endpoint = makeMerchantApi({
    find: () => Promise.resolve({ url, ...merchantLogin }),
    isSet: () => Promise.resolve(true),
    ...{ guard, clock },
  })
  const payment = { merchantId: '65f0c0ffee0000000000cafe', amountTiyin: 500_000, account: { order_id: '197' } }
  const said = await endpoint.check(payment, new AbortController().signal)
  await server.close()
  return { said, heard: server.heard }
}

test('a merchant’s endpoint is asked over TLS, under its own name and with its password', async () => {
  const { said, heard } = await checkAt(trusted.certify('shop.example'))
  assert.deepEqual(said, { kind: 'agreed' })
  assert.deepEqual(
    heard.map(({ servername }) => servername),
    ['shop.example'],
  )
})

test('an endpoint without a right certificate has said nothing, and is told neither password nor payment', async () => {
  const wrong = [makeAuthority('nobody').certify('shop.example'), trusted.certify('other.example'), trusted.certify('shop.example', -1)]
  for (const certified of wrong) {
    assert.deepEqual(await checkAt(certified), { said: { kind: 'silent', why: 'unreachable' }, heard: [] })
  }
})
