import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { bucketOf } from '@tessera/vault/id'

import { createTestMerchant } from '../../testing/test-merchant.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import { ledgerOf, rowOf, advanceAllReceipts, takenBy } from '../../testing/receipts.fixture.ts'
import type { Network } from '../../adapters/network/network.ts'
import { demoMerchant } from '../../adapters/sandbox/sandbox.ts'
import type { StoreUnderTest, WithStore } from '../../store/suite/opened.fixture.ts'

import { openIdempotencyClient, type IdempotencyClient } from './idempotency-client.fixture.ts'
import { makeCrashingStore } from './falling.fixture.ts'
import { cardKey, cardOf, onTestApp, turning } from './idempotency.suite.ts'
import { replaceInStore, replaceRead, replaceWrite } from '../../testing/store.fixture.ts'
import { deleteOldIdempotencyRecords, findIdempotencyRecord } from '../../store/idempotency.ts'
import { StoreOutcomeUnknown } from '../../store/store.ts'
import { insertReceipt, updateReceipt } from '../../store/receipts.ts'
import { listInbox, setScenarioStep } from '../../store/sandbox.ts'
import { findVerification } from '../../store/verifications.ts'

const success = '8600069195406311'
const sentByService = '8600495473316478'
const blocked = '4444445987459073'
const sum = 500_000

/** What holds of idempotency keys where money moves, and wherever a program may fall. */
export function moneyKeySuite(withStore: WithStore): void {
  test(
    'an outcome that a transaction has stored is not looked up, but once half of the lease is over, or when the commit is not known',
    onTestApp(withStore, async ({ app, store }) => {
      const [counted, late] = [{ reads: 0 }, { ms: 0 }]
      const recordKey = { bucket: 0, merchantId: '', callerClass: 'server', keyHash: new Uint8Array(0) } as const
      const counting = replaceInStore(
        store,
        replaceRead(findIdempotencyRecord(recordKey), (_values, original) => {
          counted.reads++
          return original()
        }),
        replaceWrite(insertReceipt, async (_input, original) => {
          const result = await original()
          app.clock.advance(late.ms)
          return result
        }),
      )
      const client = await openIdempotencyClient(await createTestApp({ after }, { store: counting, continues: app }))
      const readsOf = async (call: () => Promise<unknown>): Promise<number> => {
        const before = counted.reads
        await call()
        return counted.reads - before
      }
      const { token, id } = await payable(client, success)
      assert.equal(await readsOf(() => client.result('receipts.pay', { id, token }, { key: 'p1' })), 1)
      assert.equal(await readsOf(() => client.result('receipts.create', { amount: sum }, { key: 'c1' })), 1)
      late.ms = 16_000
      assert.equal(await readsOf(() => client.result('receipts.create', { amount: sum }, { key: 'c2' })), 2)
      for (const key of ['c1', 'c2']) assert.equal(await readsOf(() => client.result('receipts.create', { amount: sum }, { key })), 1)
    }),
  )

  test(
    '100 duplicate requests of receipts.create create one receipt',
    onTestApp(withStore, async ({ client }) => {
      const duplicates = await Promise.all(
        Array.from({ length: 100 }, () => client.result('receipts.create', { amount: sum }, { key: 'k1' })),
      )
      assert.equal(new Set(duplicates.map(({ receipt }) => receipt._id)).size, 1)
      assert.equal((await client.error('receipts.create', { amount: sum + 1 }, { key: 'k1' })).reason, 'idempotency_mismatch')
      // 100000.0 is the same number.
      assert.deepEqual(await client.result('receipts.create', { amount: Number('500000.0') }, { key: 'k1' }), duplicates[0])
    }),
  )

  test(
    'duplicate requests of receipts.pay debit once and all get that outcome, also after a restart; another key gets receipt_paid',
    onTestApp(withStore, async ({ client, app, restart }) => {
      const { token, id } = await payable(client, success)
      const paid = Promise.all(Array.from({ length: 30 }, () => client.result('receipts.pay', { id, token }, { key: 'k1' })))
      const [first, ...others] = await turning(app, paid)
      assert.equal(first?.receipt.state, 4)
      for (const other of others) assert.deepEqual(other, first)
      const later = await restart()
      assert.deepEqual(await later.result('receipts.pay', { id, token }, { key: 'k1', language: 'uz' }), first)
      assert.equal((await later.error('receipts.pay', { id, token }, { key: 'k2' })).reason, 'receipt_paid')
      assert.deepEqual(await taken(app, id), { takenTiyin: sum, heldTiyin: 0 })
    }),
  )

  test(
    'a refused payment is returned again under its key, even when the receipt has been paid with another card since',
    onTestApp(withStore, async ({ client }) => {
      const { token, id } = await payable(client, blocked)
      const first = await client.error('receipts.pay', { id, token }, { key: 'k1' })
      assert.deepEqual([first.code, first.reason], [-31630, 'card_blocked'])
      const good = await client.verified(success)
      assert.equal((await client.result('receipts.pay', { id, token: good }, { key: 'k2' })).receipt.state, 4)
      assert.deepEqual(await client.error('receipts.pay', { id, token }, { key: 'k1' }), first)
    }),
  )

  test(
    'after a lost commit the key returns outcome_unknown at once, on every process, until its lease ends; the money is debited once',
    onTestApp(withStore, async ({ client, app, store, restart }) => {
      const { token, id } = await payable(client, success)
      let commits = 0
      const losing = replaceInStore(
        store,
        replaceWrite(updateReceipt, async (_input, original) => {
          const result = await original()
          if (++commits === 1) throw new StoreOutcomeUnknown('the reply to COMMIT was lost')
          return result
        }),
      )
      const first = await createTestApp({ after }, { store: losing, continues: app })
      const ask = ['receipts.pay', { id, token }, { key: 'k1' }] as const
      assert.equal((await (await openIdempotencyClient(first)).error(...ask)).reason, 'outcome_unknown')
      await endOfLease(store)
      const other = await restart()
      const again = await other.error(...ask)
      assert.deepEqual([again.reason, again.retry_after], ['outcome_unknown', 30_000])
      app.clock.advance(31_000)
      assert.equal((await other.error(...ask)).reason, 'payment_unknown')
      await advanceAllReceipts(app)
      await other.post(...ask)
      assert.ok((await taken(app, id)).takenTiyin <= sum)
      await first.close()
    }),
  )

  test(
    'payment_unknown is not an outcome: the key returns it until reconciliation knows, and then the outcome',
    onTestApp(
      withStore,
      async ({ client, app }) => {
        const { token, id } = await payable(client, success)
        const ask = ['receipts.pay', { id, token }, { key: 'k1' }] as const
        const first = (await turning(app, client.error(...ask), 1000)).reason
        assert.deepEqual([first, (await client.error(...ask)).reason], ['payment_unknown', 'payment_unknown'])
        await advanceAllReceipts(app)
        for (let turn = 0; turn < 2; turn++) assert.equal((await client.error(...ask)).reason, 'debit_failed')
        assert.deepEqual(await taken(app, id), { takenTiyin: 0, heldTiyin: 0 })
      },
      { network: silentAt('authorize') },
    ),
  )

  test(
    'a payment that was approved without a response and refunded is returned as cancelled under its key, never as paid',
    onTestApp(withStore, async ({ client, app }) => {
      const { token, id } = await payable(client, success)
      const { merchantId } = await rowAt(app, id)
      await app.store.write(setScenarioStep, { merchantId, scenario: 'network', step: 'lose_answer' })
      const ask = ['receipts.pay', { id, token }, { key: 'k1' }] as const
      assert.equal((await turning(app, client.error(...ask), 1000)).reason, 'payment_unknown')
      await app.store.write(setScenarioStep, { merchantId, scenario: 'network', step: 'none' })
      await advanceAllReceipts(app)
      assert.equal((await rowAt(app, id)).state, 50)
      for (let turn = 0; turn < 2; turn++) assert.equal((await client.error(...ask)).reason, 'receipt_cancelled')
      assert.deepEqual(await taken(app, id), { takenTiyin: 0, heldTiyin: 0 })
    }),
  )

  test(
    'a hold, its capture, fiscal data and a cancellation are each executed once under a key',
    onTestApp(withStore, async ({ client, app }) => {
      const { token, id } = await payable(client, success)
      const fiscal = { id, fiscal_data: { receipt_id: 1, qr_code_url: 'https://ofd.example/1' } }
      for (const [method, params, key] of [
        ['receipts.pay', { id, token, hold: true }, 'k1'],
        ['receipts.confirm_hold', { id, amount: 300_000 }, 'k2'],
        ['receipts.set_fiscal_data', fiscal, 'k3'],
        ['receipts.cancel', { id }, 'k4'],
      ] as const) {
        const duplicates = await turning(app, Promise.all(Array.from({ length: 10 }, () => client.result(method, params, { key }))))
        for (const duplicate of duplicates) assert.deepEqual(duplicate, duplicates[0], method)
        assert.deepEqual(await client.result(method, params, { key }), duplicates[0], method)
      }
      await advanceAllReceipts(app)
      const ledger = (await ledgerOf(app, await rowAt(app, id))).map(({ kind }) => kind)
      assert.deepEqual(ledger.toSorted(), ['capture', 'hold', 'refund'])
    }),
  )

  test(
    'receipts.send with a key sends one message, and a refusal of the gateway is returned again',
    onTestApp(withStore, async ({ client, app, restart }) => {
      const { receipt } = await client.result('receipts.create', { amount: sum })
      const ask = ['receipts.send', { id: receipt._id, phone: '998901234566' }] as const
      for (let turn = 0; turn < 3; turn++) assert.deepEqual(await client.result(...ask, { key: 'k1' }), { success: true })
      assert.equal((await app.store.read(listInbox(10))).length, 1)
      const refusing = await restart({ sms: () => ({ send: async () => ({ outcome: 'rejected' }) }) })
      assert.equal((await refusing.error(...ask, { key: 'k2' })).reason, 'sms_not_sent')
      assert.equal((await client.error(...ask, { key: 'k2' })).reason, 'sms_not_sent')
    }),
  )

  test(
    'an invalid amount, phone or token is reported before the key is looked up',
    onTestApp(withStore, async ({ client }) => {
      const { receipt } = await client.result('receipts.create', { amount: sum }, { key: 'k1' })
      const id = receipt._id
      const cases: [method: string, params: object, reason: string][] = [
        ['receipts.create', { amount: 0.5 }, 'amount_invalid'],
        ['receipts.confirm_hold', { id, amount: -1 }, 'amount_invalid'],
        ['receipts.send', { id, phone: '12' }, 'phone_invalid'],
        ['receipts.pay', { id, token: 'no token' }, 'token_shape'],
      ]
      for (const [method, params, reason] of cases) assert.equal((await client.error(method, params, { key: 'k1' })).reason, reason, method)
    }),
  )

  for (const [method, pan] of [
    ['cards.create', success],
    ['cards.get_verify_code', success],
    ['cards.get_verify_code', sentByService],
    ['cards.verify', success],
    ['cards.verify', sentByService],
    ['cards.remove', success],
    ['receipts.create', success],
    ['receipts.pay', success],
    ['receipts.confirm_hold', success],
    ['receipts.cancel', success],
    ['receipts.send', success],
    ['receipts.set_fiscal_data', success],
  ] as const) {
    test(
      `${method} of ${pan} takes effect at most once, wherever the process crashes, and always returns the same outcome afterwards`,
      onTestApp(withStore, async ({ client, app, store, raw, restart }) => {
        let fell = 0
        const falls = [1, 2, 3, 4].flatMap((write) => [true, false].map((isKept) => ({ write, isKept })))
        for (const [at, fall] of falls.entries()) {
          const key = `k${at}`
          const params = await prepare(method, client, pan)
          const before = await traces(app, params, raw)
          const dying = makeCrashingStore(store, fall)
          const falling = await createTestApp({ after }, { store: dying.store, continues: app })
          const pending = (await openIdempotencyClient(falling)).post(method, params, { key })
          const ended = await Promise.race([dying.fallen, pending])
          app.clock.advance(31_000)
          const later = await restart()
          const again = await later.post(method, params, { key })
          await falling.close()
          if (ended === 'fallen') fell++
          else assert.deepEqual(again, ended)
          await advanceAllReceipts(app)
          const settled = await later.post(method, params, { key })
          if (again.error?.reason !== 'payment_unknown') assert.deepEqual(settled, again)
          assert.deepEqual(await later.post(method, params, { key }), settled)
          assert.ok((await traces(app, params, raw)) - before <= 1, `${method} at ${JSON.stringify(fall)} was done twice`)
        }
        assert.ok(fell >= 2)
      }),
    )
  }
}

/** The lease is ended in the background, by a write of its own: after it this one is done. */
async function endOfLease(store: StoreUnderTest['store']): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await store.write(deleteOldIdempotencyRecords, { before: 0 })
}

/** A created receipt, and a verified token. */
async function payable(client: IdempotencyClient, pan: string): Promise<{ token: string; id: string }> {
  const token = await client.verified(pan)
  return { token, id: (await client.result('receipts.create', { amount: sum })).receipt._id }
}

/** Params with which the method succeeds, on things of their own. */
async function prepare(method: string, client: IdempotencyClient, pan: string): Promise<object> {
  if (method === 'cards.create') return { ...cardOf(pan), customer: 'one' }
  if (method === 'receipts.create') return { amount: sum }
  const { token } = (await client.result('cards.create', { ...cardOf(pan), save: true })).card
  if (method === 'cards.get_verify_code' || method === 'cards.remove') return { token }
  await client.result('cards.get_verify_code', { token })
  if (method === 'cards.verify') return { token, code: '666666' }
  await client.result('cards.verify', { token, code: '666666' })
  const id = (await client.result('receipts.create', { amount: sum })).receipt._id
  if (method === 'receipts.pay') return { id, token }
  if (method === 'receipts.send') return { id, phone: '998901234566' }
  await client.result('receipts.pay', { id, token, hold: method === 'receipts.confirm_hold' })
  if (method === 'receipts.set_fiscal_data') return { id, fiscal_data: { receipt_id: 1, qr_code_url: 'https://ofd.example/1' } }
  return { id }
}

/** How often it has been done, by what the outside and the rows show of it. */
async function traces(app: TestApp, params: object, raw: StoreUnderTest['raw']): Promise<number> {
  const { store } = app
  if ('token' in params && !('id' in params)) {
    const tries = (await store.read(findVerification(cardKey(app, String(params.token)))))?.attempts ?? 0
    return 'code' in params ? tries : (await store.read(listInbox(50))).length
  }
  if ('phone' in params) return (await store.read(listInbox(50))).length
  if (!('id' in params)) {
    const [counted] = await raw('select (select count(*) from cards) + (select count(*) from receipts) as n')
    return Number(counted?.['n'])
  }
  const { takenTiyin } = await taken(app, String(params.id))
  return takenTiyin / sum
}

async function taken(app: TestApp, receiptId: string) {
  return takenBy(await ledgerOf(app, await rowAt(app, receiptId)))
}

function rowAt(app: TestApp, receiptId: string) {
  const caller = createTestMerchant(app.app.services, demoMerchant.id, 'spec')
  assert.equal(caller.bucket, bucketOf(demoMerchant.id))
  return rowOf(app, caller, receiptId)
}

/** A network that never answers one question. */
function silentAt(name: 'authorize'): (sandbox: Network) => Network {
  return (sandbox) => ({ ...sandbox, [name]: () => new Promise<never>(() => undefined) })
}
