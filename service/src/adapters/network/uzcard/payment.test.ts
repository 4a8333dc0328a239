import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { newReceipt, rowOf, successPan } from '../../../testing/receipts.fixture.ts'
import { createTestApp } from '../../../testing/test-app.fixture.ts'
import { createAdapters } from '../../adapter.ts'
import { networkAdapters } from '../network-adapters.ts'

import { startSvgate, svgateCode } from './svgate.fixture.ts'

// The whole service with the Uzcard adapter against the double of its host.

const sumTiyin = 500_000

test('a card is verified by the code that Uzcard sent, and a debit whose replies are lost is reversed once, after which the card is charged and refunded', async (t) => {
  const { app, svgate, count } = await start(t)
  const merchant = app.merchant()
  const token = await merchant.createToken(successPan)
  await merchant.call('cards.get_verify_code', { token })
  assert.match(await merchant.expectError('cards.verify', { token, code: '654321' }), /wrong_code/)
  assert.equal((await merchant.call('cards.verify', { token, code: svgateCode })).card.verify, true)

  svgate.host.faults.set('trans.pay.purpose', 'lost')
  const id = await newReceipt(merchant, sumTiyin)
  assert.ok('error' in (await merchant.callRaw('receipts.pay', { id, token })))
  assert.deepEqual([svgate.debitedTiyin(), (await rowOf(app, merchant, id)).state], [sumTiyin, 20])

  // Uzcard gives the money back, and its reply is lost too; the repeat finds that it was given back.
  svgate.host.faults.set('trans.reverse', 'lost')
  for (let round = 0; count('trans.reverse') === 0; round++) await work(round)
  assert.equal(svgate.debitedTiyin(), 0)
  for (let round = 0; [20, 21].includes((await rowOf(app, merchant, id)).state); round++) await work(round)
  assert.deepEqual([svgate.debitedTiyin(), count('trans.reverse'), count('trans.pay.purpose')], [0, 1, 1])

  const second = await newReceipt(merchant, sumTiyin)
  assert.equal((await merchant.call('receipts.pay', { id: second, token })).receipt.state, 4)
  assert.equal(svgate.debitedTiyin(), sumTiyin)
  await merchant.call('receipts.cancel', { id: second })
  for (let round = 0; (await rowOf(app, merchant, second)).state !== 50; round++) await work(round)
  assert.deepEqual([svgate.debitedTiyin(), count('trans.reverse')], [0, 2])

  async function work(round: number): Promise<void> {
    assert.ok(round < 400, 'the receipt does not come to an end')
    app.clock.advance(5000)
    await app.receiptWorker.runOnce()
  }
})

async function start(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-uzcard-'))
  writeFileSync(join(folder, 'password'), 'a password\n', { mode: 0o600 })
  const svgate = await startSvgate({ goodPan: successPan, poorPan: '8600495473316478' })
  const app = await createTestApp(t, {
    adapters: {
      networks: (deps) =>
        createAdapters(
          networkAdapters,
          {
            environment: 'production',
            values: {
              network: ['uzcard'],
              networkUzcardUrl: svgate.url.href,
              networkUzcardUsername: 'user',
              networkUzcardPasswordFile: join(folder, 'password'),
              networkUzcardRoutes: '8600',
              networkUzcardMerchantId: '90050017182',
              networkUzcardTerminalId: '91419475',
              networkUzcardPort: '16050',
              networkUzcardReceiverId: '2305197202',
              networkUzcardHoldMinutes: 10_080,
              networkUzcardReverseBy: 'refNum',
              networkUzcardPhoneOwner: 'unknown',
            },
          },
          deps,
        ),
    },
  })
  t.after(async () => {
    await svgate.close()
    rmSync(folder, { recursive: true })
  })
  return { app, svgate, count: (method: string) => svgate.received.filter((each) => each.method === method).length }
}
