import assert from 'node:assert/strict'
import { test } from 'node:test'

import { bucketOf } from '@tessera/vault/id'

import { makeCaller } from '../methods/caller.fixture.ts'
import { compose, type House } from '../methods/compose.fixture.ts'
import { ledgerOf, rowOf, settleAll, takenBy } from '../methods/receipts.fixture.ts'
import type { Network } from '../network/network.ts'
import { demoMerchant } from '../sandbox/demo.ts'
import type { Opened, WithStore } from '../store/suite/opened.fixture.ts'

import { openKeyedDoor, type KeyedDoor } from './door.fixture.ts'
import { makeDyingStore } from './falling.fixture.ts'
import { cardKey, cardOf, inHouse, turning } from './idempotency.suite.ts'

const success = '8600069195406311'
const weSend = '8600495473316478'
const blocked = '4444445987459073'
const sum = 500_000

/** What holds of idempotency keys where money moves, and wherever a program may fall. */
export function moneyKeySuite(withStore: WithStore): void {
  test(
    '100 twins of receipts.create make one receipt',
    inHouse(withStore, async ({ door }) => {
      const twins = await Promise.all(Array.from({ length: 100 }, () => door.result('receipts.create', { amount: sum }, { key: 'k1' })))
      assert.equal(new Set(twins.map(({ receipt }) => receipt._id)).size, 1)
      assert.equal((await door.error('receipts.create', { amount: sum + 1 }, { key: 'k1' })).reason, 'idempotency_mismatch')
      // 100000.0 is the same number.
      assert.deepEqual(await door.result('receipts.create', { amount: Number('500000.0') }, { key: 'k1' }), twins[0])
    }),
  )

  test(
    'twins of receipts.pay debit once and are all told so, also after a restart; another key hears that it is paid',
    inHouse(withStore, async ({ door, house, restart }) => {
      const { token, id } = await payable(door, success)
      const paid = Promise.all(Array.from({ length: 30 }, () => door.result('receipts.pay', { id, token }, { key: 'k1' })))
      const [first, ...others] = await turning(house, paid)
      assert.equal(first?.receipt.state, 4)
      for (const other of others) assert.deepEqual(other, first)
      const later = await restart()
      assert.deepEqual(await later.result('receipts.pay', { id, token }, { key: 'k1', language: 'uz' }), first)
      assert.equal((await later.error('receipts.pay', { id, token }, { key: 'k2' })).reason, 'receipt_paid')
      assert.deepEqual(await taken(house, id), { takenTiyin: sum, heldTiyin: 0 })
    }),
  )

  test(
    'a refused payment is told again under its key, even when the receipt has been paid with another card meanwhile',
    inHouse(withStore, async ({ door }) => {
      const { token, id } = await payable(door, blocked)
      const first = await door.error('receipts.pay', { id, token }, { key: 'k1' })
      assert.deepEqual([first.code, first.reason], [-31630, 'card_blocked'])
      const good = await door.verified(success)
      assert.equal((await door.result('receipts.pay', { id, token: good }, { key: 'k2' })).receipt.state, 4)
      assert.deepEqual(await door.error('receipts.pay', { id, token }, { key: 'k1' }), first)
    }),
  )

  test(
    'payment_unknown is no outcome: the key tells it until the background has settled, then what it came to',
    inHouse(
      withStore,
      async ({ door, house }) => {
        const { token, id } = await payable(door, success)
        const ask = ['receipts.pay', { id, token }, { key: 'k1' }] as const
        const first = (await turning(house, door.error(...ask), 1000)).reason
        assert.deepEqual([first, (await door.error(...ask)).reason], ['payment_unknown', 'payment_unknown'])
        await settleAll(house)
        for (let turn = 0; turn < 2; turn++) assert.equal((await door.error(...ask)).reason, 'debit_failed')
        assert.deepEqual(await taken(house, id), { takenTiyin: 0, heldTiyin: 0 })
      },
      { network: silentAt('authorise') },
    ),
  )

  test(
    'a payment that was approved unheard and given back is told as cancelled under its key, never as a receipt',
    inHouse(withStore, async ({ door, house }) => {
      const { token, id } = await payable(door, success)
      const { merchantId } = await rowAt(house, id)
      await house.store.setScenarioStep(merchantId, 'network', 'lose_answer')
      const ask = ['receipts.pay', { id, token }, { key: 'k1' }] as const
      assert.equal((await turning(house, door.error(...ask), 1000)).reason, 'payment_unknown')
      await house.store.setScenarioStep(merchantId, 'network', 'none')
      await settleAll(house)
      assert.equal((await rowAt(house, id)).state, 50)
      for (let turn = 0; turn < 2; turn++) assert.equal((await door.error(...ask)).reason, 'receipt_cancelled')
      assert.deepEqual(await taken(house, id), { takenTiyin: 0, heldTiyin: 0 })
    }),
  )

  test(
    'a hold, its confirmation, fiscal data and a cancellation are each done once under a key',
    inHouse(withStore, async ({ door, house }) => {
      const { token, id } = await payable(door, success)
      const fiscal = { id, fiscal_data: { receipt_id: 1, qr_code_url: 'https://ofd.example/1' } }
      for (const [method, params, key] of [
        ['receipts.pay', { id, token, hold: true }, 'k1'],
        ['receipts.confirm_hold', { id, amount: 300_000 }, 'k2'],
        ['receipts.set_fiscal_data', fiscal, 'k3'],
        ['receipts.cancel', { id }, 'k4'],
      ] as const) {
        const twins = await turning(house, Promise.all(Array.from({ length: 10 }, () => door.result(method, params, { key }))))
        for (const twin of twins) assert.deepEqual(twin, twins[0], method)
        assert.deepEqual(await door.result(method, params, { key }), twins[0], method)
      }
      await settleAll(house)
      const ledger = (await ledgerOf(house, await rowAt(house, id))).map(({ kind }) => kind)
      assert.deepEqual(ledger.toSorted(), ['capture', 'hold', 'refund'])
    }),
  )

  test(
    'receipts.send under a key sends one message, and a refusal of the gateway is told again',
    inHouse(withStore, async ({ door, house, restart }) => {
      const { receipt } = await door.result('receipts.create', { amount: sum })
      const ask = ['receipts.send', { id: receipt._id, phone: '998901234566' }] as const
      for (let turn = 0; turn < 3; turn++) assert.deepEqual(await door.result(...ask, { key: 'k1' }), { success: true })
      assert.equal((await house.store.listInbox(10)).length, 1)
      const refusing = await restart({ sms: () => ({ send: async () => 'rejected' }) })
      assert.equal((await refusing.error(...ask, { key: 'k2' })).reason, 'sms_not_sent')
      assert.equal((await door.error(...ask, { key: 'k2' })).reason, 'sms_not_sent')
    }),
  )

  test(
    'an amount, a phone and a token that are none are told before the key is looked at',
    inHouse(withStore, async ({ door }) => {
      const { receipt } = await door.result('receipts.create', { amount: sum }, { key: 'k1' })
      const id = receipt._id
      const cases: [method: string, params: object, reason: string][] = [
        ['receipts.create', { amount: 0.5 }, 'amount_invalid'],
        ['receipts.confirm_hold', { id, amount: -1 }, 'amount_invalid'],
        ['receipts.send', { id, phone: '12' }, 'phone_invalid'],
        ['receipts.pay', { id, token: 'no token' }, 'token_shape'],
      ]
      for (const [method, params, reason] of cases) assert.equal((await door.error(method, params, { key: 'k1' })).reason, reason, method)
    }),
  )

  for (const [method, pan] of [
    ['cards.create', success],
    ['cards.get_verify_code', success],
    ['cards.get_verify_code', weSend],
    ['cards.verify', success],
    ['cards.verify', weSend],
    ['cards.remove', success],
    ['receipts.create', success],
    ['receipts.pay', success],
    ['receipts.confirm_hold', success],
    ['receipts.cancel', success],
    ['receipts.send', success],
    ['receipts.set_fiscal_data', success],
  ] as const) {
    test(
      `${method} of ${pan} does its work at most once, wherever the program falls, and tells one outcome ever after`,
      inHouse(withStore, async ({ door, house, store, raw, restart }) => {
        let fell = 0
        const falls = [1, 2, 3, 4].flatMap((write) => [true, false].map((isKept) => ({ write, isKept })))
        for (const [at, fall] of falls.entries()) {
          const key = `k${at}`
          const params = await prepare(method, door, pan)
          const before = await traces(house, params, raw)
          const dying = makeDyingStore(store, fall)
          const falling = await compose({ store: dying.store, after: house })
          const told = (await openKeyedDoor(falling)).post(method, params, { key })
          const ended = await Promise.race([dying.fallen, told])
          house.clock.advance(31_000)
          const later = await restart()
          const again = await later.post(method, params, { key })
          await falling.close()
          if (ended === 'fallen') fell++
          else assert.deepEqual(again, ended)
          await settleAll(house)
          const settled = await later.post(method, params, { key })
          if (again.error?.reason !== 'payment_unknown') assert.deepEqual(settled, again)
          assert.deepEqual(await later.post(method, params, { key }), settled)
          assert.ok((await traces(house, params, raw)) - before <= 1, `${method} at ${JSON.stringify(fall)} was done twice`)
        }
        assert.ok(fell >= 2)
      }),
    )
  }
}

/** A created receipt, and a verified token. */
async function payable(door: KeyedDoor, pan: string): Promise<{ token: string; id: string }> {
  const token = await door.verified(pan)
  return { token, id: (await door.result('receipts.create', { amount: sum })).receipt._id }
}

/** Params with which the method succeeds, on things of their own. */
async function prepare(method: string, door: KeyedDoor, pan: string): Promise<object> {
  if (method === 'cards.create') return { ...cardOf(pan), customer: 'one' }
  if (method === 'receipts.create') return { amount: sum }
  const { token } = (await door.result('cards.create', { ...cardOf(pan), save: true })).card
  if (method === 'cards.get_verify_code' || method === 'cards.remove') return { token }
  await door.result('cards.get_verify_code', { token })
  if (method === 'cards.verify') return { token, code: '666666' }
  await door.result('cards.verify', { token, code: '666666' })
  const id = (await door.result('receipts.create', { amount: sum })).receipt._id
  if (method === 'receipts.pay') return { id, token }
  if (method === 'receipts.send') return { id, phone: '998901234566' }
  await door.result('receipts.pay', { id, token, hold: method === 'receipts.confirm_hold' })
  if (method === 'receipts.set_fiscal_data') return { id, fiscal_data: { receipt_id: 1, qr_code_url: 'https://ofd.example/1' } }
  return { id }
}

/** How often it has been done, by what the outside and the rows show of it. */
async function traces(house: House, params: object, raw: Opened['raw']): Promise<number> {
  const { store } = house
  if ('token' in params && !('id' in params)) {
    const tries = (await store.findVerification(cardKey(house, String(params.token))))?.tries ?? 0
    return 'code' in params ? tries : (await store.listInbox(50)).length
  }
  if ('phone' in params) return (await store.listInbox(50)).length
  if (!('id' in params)) {
    const [counted] = await raw('select (select count(*) from cards) + (select count(*) from receipts) as n')
    return Number(counted?.['n'])
  }
  const { takenTiyin } = await taken(house, String(params.id))
  return takenTiyin / sum
}

async function taken(house: House, receiptId: string) {
  return takenBy(await ledgerOf(house, await rowAt(house, receiptId)))
}

function rowAt(house: House, receiptId: string) {
  const caller = makeCaller(house.grid, demoMerchant.id, 'spec')
  assert.equal(caller.bucket, bucketOf(demoMerchant.id))
  return rowOf(house, caller, receiptId)
}

/** A network that never answers one question. */
function silentAt(name: 'authorise'): (sandbox: Network) => Network {
  return (sandbox) => ({ ...sandbox, [name]: () => new Promise<never>(() => undefined) })
}
