import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'

import { makeAuthority } from '../../adapters/http/certificate.fixture.ts'
import { startTlsServer, trustedAuthority } from '../../adapters/http/tls-server.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import { sampleMerchantId } from '../../store/suite/samples.fixture.ts'

import { isSignedWith, withPost } from './webhooks.fixture.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

const trusted = trustedAuthority()

test(
  'an event waits while its endpoint has no right certificate, and goes there over TLS, signed, once it has',
  withSqlite((opened) =>
    withPost(
      opened,
      async ({ app, endpoints, deliverer, goOn }) => {
        const server = await startTlsServer({ certified: makeAuthority('nobody').certify('shop.example') })
        const added = await endpoints.add(sampleMerchantId, `https://shop.example:${String(server.port)}/events`, operatorActor)
        assert.ok(!(added instanceof SettingProblem))
        await app.merchant('spec', sampleMerchantId).createVerifiedToken('8600495473316478')
        const webhooks = deliverer()
        for (const certified of [trusted.certify('other.example'), trusted.certify('shop.example', -1), trusted.certify('shop.example')]) {
          await goOn(webhooks, hourMs)
          assert.equal(server.requests.length, 0)
          server.replaceCertificate(certified)
        }
        await goOn(webhooks, 3 * hourMs)
        assert.deepEqual(
          server.requests.map(({ servername }) => servername),
          ['shop.example'],
        )
        for (const received of server.requests) {
          assert.ok(isSignedWith(added.secret, { ...received, id: String(received.headers['webhook-id']) }))
        }
        const [event] = await endpoints.events(sampleMerchantId, 0, 10)
        assert.deepEqual(event?.deliveries.map(({ state, attempts }) => `${state} ${String(attempts)}`).sort(), [
          'delivered 1',
          'delivered 4',
        ])
        await server.close()
      },
      () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    ),
  ),
)

const hourMs = 3_600_000
