import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { newReceipt, rowOf, successPan } from '../../../testing/receipts.fixture.ts'
import { createTestApp } from '../../../testing/test-app.fixture.ts'
import { createAdapters } from '../../adapter.ts'
import { makeSandboxNetwork } from '../../sandbox/network.ts'
import { networkAdapters } from '../network-adapters.ts'

import type { IsoMessage } from './codec.ts'
import { defaultDialect } from './dialect.ts'
import { startIsoHost } from './host.fixture.ts'

// The whole service with the ISO 8583 adapter, over TCP, against the double of a host; cards are verified by the sandbox, which ISO 8583 has no message for.

const sumTiyin = 500_000
const networkTimeoutMs = 12_000

test('a payment whose reply is lost is reversed, the reversal without a reply is repeated with the same numbers, and the card can be charged again', async (t) => {
  const { app, host, messages, settle } = await start(t)
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  const id = await newReceipt(merchant, sumTiyin)

  // The host debits, and its reply does not arrive.
  host.lose = new Set(['0200'])
  const reply = await settle(merchant.callRaw('receipts.pay', { id, token }))
  assert.ok('error' in reply, JSON.stringify(reply))
  assert.deepEqual([host.debitedTiyin(), messages(), (await rowOf(app, merchant, id)).state], [sumTiyin, ['0200'], 20])

  // The host reverses, and its reply does not arrive either.
  host.lose = new Set(['0400'])
  for (let round = 0; !messages().includes('0400'); round++) {
    assert.ok(round < 50, 'no reversal was sent')
    app.clock.advance(1000)
    await settle(app.receiptWorker.runOnce())
  }
  assert.deepEqual(
    [host.debitedTiyin(), messages(), (await rowOf(app, merchant, id)).state],
    [0, ['0200', '0400'], 20],
    'it is not known to be reversed',
  )

  // The repeat is answered.
  for (let round = 0; (await rowOf(app, merchant, id)).state === 20; round++) {
    assert.ok(round < 50, 'the payment stays unknown')
    app.clock.advance(1000)
    await settle(app.receiptWorker.runOnce())
  }
  assert.deepEqual(messages(), ['0200', '0400', '0401'])
  const [payment, reversal, repeat] = host.payments()
  assert.ok(payment !== undefined && reversal !== undefined && repeat !== undefined)
  assert.deepEqual(repeat.fields, reversal.fields)
  assert.equal(reversal.fields[2], undefined, 'a reversal has no card number')
  assert.equal(String(reversal.fields[90]).slice(0, 20), `0200${String(payment.fields[11])}${String(payment.fields[7])}`)
  assert.notEqual(reversal.fields[11], payment.fields[11])

  host.lose = new Set()
  const paid = await settle(merchant.call('receipts.pay', { id: await newReceipt(merchant, sumTiyin), token }))
  assert.deepEqual([paid.receipt.state, host.debitedTiyin(), messages().length], [4, sumTiyin, 4])
})

async function start(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-iso-'))
  writeFileSync(join(folder, 'table.json'), JSON.stringify(defaultDialect))
  const iso = await startIsoHost(defaultDialect)
  /** Messages of these types are handled by the host, and their replies are lost. */
  const host = {
    lose: new Set<string>(),
    debitedTiyin: iso.debitedTiyin,
    payments: (): IsoMessage[] => iso.received.filter(({ mti }) => mti < '0800'),
  }
  let lost = 0
  iso.host.behave = ({ mti }, reply) => {
    if (!host.lose.has(mti)) return [reply]
    lost++
    return []
  }
  const app = await createTestApp(t, {
    config: { networkTimeoutMs },
    adapters: {
      networks: (deps) => {
        const values = {
          network: ['iso8583'],
          networkIso8583Host: '127.0.0.1',
          networkIso8583Port: iso.port,
          networkIso8583Transport: 'private',
          networkIso8583PrivateReason: 'a loopback of a test',
          networkIso8583FieldTable: join(folder, 'table.json'),
          networkIso8583Routes: '8600',
          networkIso8583TerminalId: 'TERM0001',
          networkIso8583AcceptorId: 'MERCHANT0001',
          networkIso8583EchoSeconds: 3600,
        }
        const [created] = createAdapters(networkAdapters, { environment: 'production', values }, deps)
        assert.ok(created !== undefined)
        const { startVerification, checkCode, precheckCard } = makeSandboxNetwork(deps)
        return [{ name: created.name, port: { ...created.port, startVerification, checkCode, precheckCard } }]
      },
    },
  })
  t.after(async () => {
    await iso.close()
    rmSync(folder, { recursive: true })
  })
  return { app, host, settle, messages: () => host.payments().map(({ mti }) => mti) }

  /** Waits for something that calls the host; the time of a call whose reply was lost passes at once. */
  async function settle<T>(pending: Promise<T>): Promise<T> {
    const state = { isOver: false }
    const over = (): void => void (state.isOver = true)
    pending.then(over, over)
    while (!state.isOver) {
      if (lost > 0) {
        lost = 0
        app.clock.advance(networkTimeoutMs)
      }
      await pause(2)
    }
    return pending
  }
}
