import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { newReceipt, rowOf } from '../../../testing/receipts.fixture.ts'
import { createTestApp } from '../../../testing/test-app.fixture.ts'
import { createAdapters } from '../../adapter.ts'
import { networkAdapters } from '../network-adapters.ts'

import { startHumo } from './payment-server.fixture.ts'

// The whole service with the Humo adapter against the double of its services.

const sumTiyin = 500_000
const humoPan = '9860000000000018'

test('a card of Humo is verified by a code of ours, and a debit whose confirmation is lost is returned once, after which the card is charged and refunded', async (t) => {
  const { app, humo, count } = await start(t)
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(humoPan)
  assert.equal(count('/v3/iiacs/card'), 1)

  humo.host.faults.set('payment.confirm', 'lost')
  const id = await newReceipt(merchant, sumTiyin)
  assert.ok('error' in (await merchant.callRaw('receipts.pay', { id, token })))
  assert.deepEqual([humo.debitedTiyin(), (await rowOf(app, merchant, id)).state], [sumTiyin, 20])

  // Humo gives the money back, and its reply is lost too; the repeat finds that it was given back.
  humo.host.faults.set('payment.return', 'lost')
  for (let round = 0; count('payment.return') === 0; round++) await work(round)
  assert.equal(humo.debitedTiyin(), 0)
  for (let round = 0; [20, 21].includes((await rowOf(app, merchant, id)).state); round++) await work(round)
  assert.deepEqual([humo.debitedTiyin(), count('payment.return'), count('payment.create')], [0, 1, 1])

  const second = await newReceipt(merchant, sumTiyin)
  assert.equal((await merchant.call('receipts.pay', { id: second, token })).receipt.state, 4)
  assert.equal(humo.debitedTiyin(), sumTiyin)
  humo.host.faults.set('payment.return', 'lost')
  await merchant.call('receipts.cancel', { id: second })
  for (let round = 0; (await rowOf(app, merchant, second)).state !== 50; round++) await work(round)
  assert.deepEqual([humo.debitedTiyin(), count('payment.return')], [0, 2])

  async function work(round: number): Promise<void> {
    assert.ok(round < 400, 'the receipt does not come to an end')
    app.clock.advance(5000)
    await app.receiptWorker.runOnce()
  }
})

async function start(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-humo-'))
  writeFileSync(join(folder, 'password'), 'a password\n', { mode: 0o600 })
  writeFileSync(join(folder, 'token'), 'a token\n', { mode: 0o600 })
  const humo = await startHumo({ goodPan: humoPan })
  const app = await createTestApp(t, {
    adapters: {
      networks: (deps) =>
        createAdapters(
          networkAdapters,
          {
            environment: 'production',
            values: {
              network: ['humo'],
              networkHumoCardUrl: humo.cardUrl.href,
              networkHumoTokenFile: join(folder, 'token'),
              networkHumoPaymentUrl: humo.paymentUrl.href,
              networkHumoUsername: 'user',
              networkHumoPasswordFile: join(folder, 'password'),
              networkHumoOriginator: 'user',
              networkHumoRoutes: '9860',
              networkHumoMerchantId: '011860302360014',
              networkHumoTerminalId: '1000CNC8',
              networkHumoPointCode: '100010104110',
              networkHumoCentreId: 'Bank',
              networkHumoNotFoundError: '-1',
              networkHumoPhoneOwner: 'unknown',
            },
          },
          deps,
        ),
    },
  })
  t.after(async () => {
    await humo.close()
    rmSync(folder, { recursive: true })
  })
  return { app, humo, count: (method: string) => humo.received.filter((each) => each.method === method).length }
}
