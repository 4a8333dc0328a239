import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'

import { compose, type House } from '../methods/compose.fixture.ts'
import { ledgerOf, newReceipt, pass, rowOf, settleAll, successPan, takenBy } from '../methods/receipts.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'

const house = await compose()
after(() => house.close())

/** A payment that the network does not answer. */
async function lost(rehearsal: string, options: { save?: boolean; hold?: boolean } = {}, at: House = house) {
  const merchant = at.caller()
  const token = await merchant.verified(successPan, { save: options.save ?? true })
  const id = await newReceipt(merchant)
  await at.store.setScenarioStep(merchant.merchantId, 'network', rehearsal)
  const reply = await pass(at, merchant.call('receipts.pay', { id, token, hold: options.hold ?? false }))
  assert.equal('error' in reply && reply.error.reason, 'payment_unknown')
  return { merchant, token, id }
}

test('an approval that nobody heard goes back: 20, 21, 50, and the one-time token is kept', async () => {
  for (const [rehearsal, hold] of [
    ['lose_answer', false],
    ['lose_answer', true],
    ['approve_late', false],
    ['approve_late', true],
  ] as const) {
    const { merchant, token, id } = await lost(rehearsal, { save: false, hold })
    await settleAll(house)
    const row = await rowOf(house, merchant, id)
    assert.equal(row.state, 50, rehearsal)
    assert.deepEqual(takenBy(await ledgerOf(house, row)), { takenTiyin: 0, heldTiyin: 0 })
    await house.store.setScenarioStep(merchant.merchantId, 'network', 'none')
    assert.equal((await merchant.expect('receipts.pay', { id: await newReceipt(merchant), token })).receipt.state, 4)
  }
})

test('what the network never saw is reversed before it may be paid again', async () => {
  const { merchant, token, id } = await lost('lose_request', { save: false })
  for (let look = 0; look < 3; look++) {
    house.clock.advance(10_000)
    await pass(house, house.settle.runOnce())
  }
  assert.deepEqual(await merchant.expect('receipts.check', { id }), { state: 20 })
  await house.store.setScenarioStep(merchant.merchantId, 'network', 'none')
  await settleAll(house)
  const { receipt } = await merchant.expect('receipts.get', { id })
  assert.deepEqual([receipt.state, (receipt.error as { reason: string }).reason], [0, 'debit_failed'])
  const row = await rowOf(house, merchant, id)
  assert.deepEqual(
    (await ledgerOf(house, row)).map(({ kind }) => kind),
    ['reverse'],
  )
  assert.equal((await merchant.expect('receipts.pay', { id, token })).receipt.state, 4)
})

test('the waits grow from a second to ten minutes, and after a day a person is called', async () => {
  const own = await compose()
  try {
    const { merchant, id } = await lost('lose_request', {}, own)
    const since = (await rowOf(own, merchant, id)).unknownSince
    const waits: number[] = []
    for (let look = 0; look < 200; look++) {
      const { dueAt, flagged } = await rowOf(own, merchant, id)
      if (flagged) break
      own.clock.advance((dueAt ?? 0) - own.clock.now())
      await pass(own, own.settle.runOnce())
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
    await own.store.setScenarioStep(merchant.merchantId, 'network', 'none')
    own.clock.advance(600_000)
    await own.settle.runOnce()
    // Nothing was taken; and the twelve hours in which it could be paid are over.
    const settled = await rowOf(own, merchant, id)
    assert.deepEqual([settled.state, settled.flagged, settled.unknownSince], [50, false, 0])
  } finally {
    await own.close()
  }
})

test('no receipt is looked after before its time, nor by two at once', async () => {
  const { merchant, id } = await lost('lose_answer')
  assert.equal(await house.settle.runOnce(), 0)
  house.clock.advance(1000)
  await house.store.setScenarioStep(merchant.merchantId, 'network', 'none')
  await Promise.all(Array.from({ length: 20 }, () => house.settle.runOnce()))
  const row = await rowOf(house, merchant, id)
  assert.equal(row.state, 50)
  assert.deepEqual((await ledgerOf(house, row)).map(({ kind }) => kind).sort(), ['authorise', 'reverse'])
})

test('a network that says nothing to one receipt keeps no other waiting', async () => {
  const own = await compose()
  try {
    const [silent, other] = [await lost('lose_request', {}, own), await lost('lose_answer', {}, own)]
    await own.store.setScenarioStep(other.merchant.merchantId, 'network', 'none')
    own.clock.advance(10_000)
    // The network is silent on the first, and nobody lets time pass: whoever waited for it would wait for ever.
    assert.equal(await own.settle.begin(), 2)
    while ((await rowOf(own, other.merchant, other.id)).state !== 50) await setImmediate()
    assert.equal((await rowOf(own, silent.merchant, silent.id)).state, 20)
    assert.equal(await own.settle.begin(), 0)
    await pass(own, own.settle.stop())
  } finally {
    await own.close()
  }
})

test(
  'a receipt that cannot be read stays due and is told of once, however many of them stand before the others',
  withSqlite(async ({ store, raw }) => {
    const own = await compose({ store })
    try {
      const merchant = own.caller()
      const ids = await Promise.all(Array.from({ length: 101 }, () => newReceipt(merchant)))
      await raw(`update receipts set looks = 9007199254740993 where merchant_id = '${merchant.merchantId}'`)
      const last = await newReceipt(merchant)
      own.clock.advance(13 * 3_600_000)
      assert.equal(await own.settle.runOnce(), 1)
      assert.equal((await rowOf(own, merchant, last)).state, 50)
      await own.settle.runOnce()
      assert.equal(own.alarms.length, ids.length)
      assert.ok(own.alarms.every((alarm) => alarm.startsWith('row_broken')))
      await raw(`update receipts set looks = 0 where merchant_id = '${merchant.merchantId}'`)
      assert.equal(await own.settle.runOnce(), 100)
      assert.equal(await own.settle.runOnce(), 1)
    } finally {
      await own.close()
    }
  }),
)

test('each change of a receipt leaves its version and MAC in the audit, and no token', async () => {
  const own = await compose()
  try {
    const { merchant, token, id } = await lost('lose_answer', { save: false }, own)
    await settleAll(own)
    const entries = (await own.store.readAudit((await own.store.listAuditChains())[0]?.chain ?? '', 0, 1000)).filter(
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
  } finally {
    await own.close()
  }
})
