import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'

import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import { advanceAllReceipts, ledgerOf, newReceipt, pass, rowOf, successPan, takenBy } from '../../testing/receipts.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import assert from 'node:assert/strict'
import { listAuditEntries, listAuditHeads } from '../../store/audit.ts'
import { setScenarioStep } from '../../store/sandbox.ts'

const app = await createTestApp({ after })

/** A payment that the network does not answer. */
async function lost(fault: string, options: { save?: boolean; hold?: boolean } = {}, at: TestApp = app) {
  const merchant = at.merchant()
  const token = await merchant.createVerifiedToken(successPan, { save: options.save ?? true })
  const id = await newReceipt(merchant)
  await at.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: fault })
  const reply = await pass(at, merchant.callRaw('receipts.pay', { id, token, hold: options.hold ?? false }))
  assert.equal('error' in reply && reply.error.reason, 'payment_unknown')
  return { merchant, token, id }
}

test('an approval that was not received is reversed: 20, 21, 50, and the one-time token can still be used', async () => {
  for (const [fault, hold] of [
    ['lose_answer', false],
    ['lose_answer', true],
    ['approve_late', false],
    ['approve_late', true],
  ] as const) {
    const { merchant, token, id } = await lost(fault, { save: false, hold })
    await advanceAllReceipts(app)
    const row = await rowOf(app, merchant, id)
    assert.equal(row.state, 50, fault)
    assert.deepEqual(takenBy(await ledgerOf(app, row)), { takenTiyin: 0, heldTiyin: 0 })
    await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'none' })
    assert.equal((await merchant.call('receipts.pay', { id: await newReceipt(merchant), token })).receipt.state, 4)
  }
})

test('a call that the network has never seen is reversed before the receipt may be paid again', async () => {
  const { merchant, token, id } = await lost('lose_request', { save: false })
  for (let look = 0; look < 3; look++) {
    app.clock.advance(10_000)
    await pass(app, app.receiptWorker.runOnce())
  }
  assert.deepEqual(await merchant.call('receipts.check', { id }), { state: 20 })
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'none' })
  await advanceAllReceipts(app)
  const { receipt } = await merchant.call('receipts.get', { id })
  assert.deepEqual([receipt.state, (receipt.error as { reason: string }).reason], [0, 'debit_failed'])
  const row = await rowOf(app, merchant, id)
  assert.deepEqual(
    (await ledgerOf(app, row)).map(({ kind }) => kind),
    ['reverse'],
  )
  assert.equal((await merchant.call('receipts.pay', { id, token })).receipt.state, 4)
})

test('the waits grow from a second to ten minutes, and after a day the receipt is flagged for an operator', async (t) => {
  const own = await createTestApp(t)
  const { merchant, id } = await lost('lose_request', {}, own)
  const since = (await rowOf(own, merchant, id)).unknownSince
  const waits: number[] = []
  for (let look = 0; look < 200; look++) {
    const { dueAt, flagged } = await rowOf(own, merchant, id)
    if (flagged) break
    own.clock.advance((dueAt ?? 0) - own.clock.now())
    await pass(own, own.receiptWorker.runOnce())
    waits.push(((await rowOf(own, merchant, id)).dueAt ?? 0) - own.clock.now())
  }
  const row = await rowOf(own, merchant, id)
  assert.deepEqual([row.state, row.flagged], [20, true])
  assert.ok(own.clock.now() - since >= 24 * 3_600_000)
  assert.ok(
    waits.every((wait, at) => wait <= 600_000 && wait >= (waits[at - 1] ?? 0)),
    waits.join(),
  )
  assert.equal(waits.at(-1), 600_000)
  await own.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'none' })
  own.clock.advance(600_000)
  await own.receiptWorker.runOnce()
  // Nothing was debited, and the twelve hours in which it could be paid are over.
  const settled = await rowOf(own, merchant, id)
  assert.deepEqual([settled.state, settled.flagged, settled.unknownSince], [50, false, 0])
})

test('no receipt is advanced before it is due, nor twice concurrently', async () => {
  const { merchant, id } = await lost('lose_answer')
  assert.equal(await app.receiptWorker.runOnce(), 0)
  app.clock.advance(1000)
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'none' })
  await Promise.all(Array.from({ length: 20 }, () => app.receiptWorker.runOnce()))
  const row = await rowOf(app, merchant, id)
  assert.equal(row.state, 50)
  assert.deepEqual((await ledgerOf(app, row)).map(({ kind }) => kind).sort(), ['authorise', 'reverse'])
})

test('a network that does not reply for one receipt delays no other', async (t) => {
  const own = await createTestApp(t)
  const [silent, other] = [await lost('lose_request', {}, own), await lost('lose_answer', {}, own)]
  await own.store.write(setScenarioStep, { merchantId: other.merchant.merchantId, scenario: 'network', step: 'none' })
  own.clock.advance(10_000)
  // The network does not reply for the first one and the clock stands still: waiting for it would never end.
  assert.equal(await own.receiptWorker.begin(), 2)
  while ((await rowOf(own, other.merchant, other.id)).state !== 50) await setImmediate()
  assert.equal((await rowOf(own, silent.merchant, silent.id)).state, 20)
  assert.equal(await own.receiptWorker.begin(), 0)
  await pass(own, own.receiptWorker.stop())
})

test(
  'a receipt that cannot be read stays due and is reported once, and many of them do not block the others',
  withSqlite(async ({ store, raw }) => {
    const own = await createTestApp({ after }, { store })
    try {
      const merchant = own.merchant()
      const ids = await Promise.all(Array.from({ length: 101 }, () => newReceipt(merchant)))
      await raw(`update receipts set looks = 9007199254740993 where merchant_id = '${merchant.merchantId}'`)
      const last = await newReceipt(merchant)
      own.clock.advance(13 * 3_600_000)
      assert.equal(await own.receiptWorker.runOnce(), 1)
      assert.equal((await rowOf(own, merchant, last)).state, 50)
      await own.receiptWorker.runOnce()
      assert.equal(own.alarms.length, ids.length)
      assert.ok(own.alarms.every((alarm) => alarm.startsWith('row_broken')))
      await raw(`update receipts set looks = 0 where merchant_id = '${merchant.merchantId}'`)
      assert.equal(await own.receiptWorker.runOnce(), 100)
      assert.equal(await own.receiptWorker.runOnce(), 1)
    } finally {
      await own.close()
    }
  }),
)

test('each change of a receipt leaves its version and MAC in the audit, and never a token', async (t) => {
  const own = await createTestApp(t)
  const { merchant, token, id } = await lost('lose_answer', { save: false }, own)
  await advanceAllReceipts(own)
  const entries = (await own.store.read(listAuditEntries((await listAuditHeads(own.store))[0]?.chain ?? '', 0, 1000))).filter(
    ({ subject }) => subject === id,
  )
  const row = await rowOf(own, merchant, id)
  assert.deepEqual(
    entries.map(({ version }) => version),
    Array.from({ length: row.version }, (_, at) => at + 1),
  )
  assert.deepEqual(Buffer.from(entries.at(-1)?.mac ?? []), Buffer.from(row.mac))
  assert.equal(entries.at(-1)?.action, 'receipt.cancelled')
  assert.ok(!JSON.stringify(entries).includes(token.slice(25)))
})
