import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createShop } from '../../../../examples/merchant-endpoint/shop.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'
import { makeAuthority, type CertificateWithKey } from '../http/certificate.fixture.ts'
import { makeAddressGuard } from '../http/address-guard.ts'
import { startTlsServer, trustedAuthority, type TlsServer } from '../http/tls-server.fixture.ts'

import type { MerchantApiReply } from './merchant-api.ts'
import { createPaymeMerchantApi } from './payme.ts'
import { merchantLogin } from './merchant.fixture.ts'

const trusted = trustedAuthority()
const clock = makeHandClock()

/** Sends a check to the example shop behind TLS. Returns the reply, and the requests that the shop received. */
async function checkAt(certified: CertificateWithKey): Promise<{ reply: MerchantApiReply; requests: TlsServer['requests'] }> {
  const shop = createShop({ findOrder: () => ({ amountTiyin: 500_000 }), now: () => clock.now() })
  const login = `Basic ${Buffer.from(`${merchantLogin.login}:${merchantLogin.password}`).toString('base64')}`
  const server = await startTlsServer({
    certified,
    handle: ({ headers }, response, body) => {
      const call = JSON.parse(body) as Parameters<typeof shop.handle>[0]
      response.end(JSON.stringify(headers.authorization === login ? shop.handle(call) : { error: { code: -32504, message: 'no' } }))
    },
  })
  const url = new URL(`https://shop.example:${String(server.port)}/`)
  const guard = makeAddressGuard({ resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]), allowLoopback: true })
  const endpoint = createPaymeMerchantApi({
    find: () => Promise.resolve({ url, ...merchantLogin }),
    hasEndpoint: () => Promise.resolve(true),
    guard,
    clock,
  })
  const payment = { merchantId: '65f0c0ffee0000000000cafe', amountTiyin: 500_000, account: { order_id: '197' } }
  const reply = await endpoint.check(payment, new AbortController().signal)
  await server.close()
  return { reply, requests: server.requests }
}

test('a merchant’s endpoint is called over TLS, under its own name and with its password', async () => {
  const { reply, requests } = await checkAt(trusted.certify('shop.example'))
  assert.deepEqual(reply, { kind: 'agreed' })
  assert.deepEqual(
    requests.map(({ servername }) => servername),
    ['shop.example'],
  )
})

test('an endpoint without a valid certificate gets neither password nor payment, and counts as silent', async () => {
  const wrong = [
    makeAuthority('an unknown authority').certify('shop.example'),
    trusted.certify('other.example'),
    trusted.certify('shop.example', -1),
  ]
  for (const certified of wrong) {
    assert.deepEqual(await checkAt(certified), { reply: { kind: 'silent', reason: 'unreachable' }, requests: [] })
  }
})
