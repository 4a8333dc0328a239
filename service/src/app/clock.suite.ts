import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createCrashingStore } from '../domain/payments/crashing-store.fixture.ts'
import { deviceLifetimeMs } from '../domain/users/known-devices.ts'
import { findCard } from '../store/cards.ts'
import { receiptsTable } from '../store/receipts.ts'
import { setScenarioStep } from '../store/sandbox.ts'
import { deleteOldKnownDevices } from '../store/known-devices.ts'
import { deleteOldSignInAttempts } from '../store/sign-in-attempts.ts'
import type { Store } from '../store/store.ts'
import type { WithStore } from '../store/suite/opened.fixture.ts'
import { ledgerOf, newReceipt, pass, rowOf, successPan } from '../testing/receipts.fixture.ts'
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'

import { listBackgroundJobs } from './background-jobs.ts'
import { callAsOperator, clockOf, confirmClock } from './clock-operator.fixture.ts'

/** What the service does by the time of a clock that is not trusted, on a store. */
export function clockSuite(withStore: WithStore): void {
  const day = 86_400_000

  test(
    'after a jump nothing is destroyed or moved, whatever jobs run, until an operator confirms; then what is due is',
    withStore(async ({ store, raw }) => {
      const app = await createTestApp({ after }, { store })
      try {
        const merchant = app.merchant()
        const subject = await createSubject(app, merchant)
        const look = (): Promise<Snapshot> => takeSnapshot(app, merchant, { ...subject, raw })
        const before = await look()

        app.clock.jump(100 * day)
        await runEveryJob(app)
        // A call may create what it needs, but no key expires.
        await merchant.callRaw('cards.check', { token: subject.token })
        assert.deepEqual(await callOnce(app, merchant, () => assert.fail('the call ran once more')), { done: true })
        assert.deepEqual(await look(), before)
        assert.deepEqual(await clockOf(app), { trusted: false, reason: 'jumped', bySeconds: (100 * day) / 1000 })

        assert.deepEqual(await confirmClock(app), { success: true })
        assert.deepEqual(await clockOf(app), { trusted: true, reason: null, bySeconds: null })
        await runEveryJob(app)
        assert.deepEqual(await look(), {
          card: 'ended',
          unpaid: 50,
          held: 50,
          records: 0,
          sessions: 0,
          dayKey: 'destroyed',
          cardKeys: 2,
        })
        const entries = await callAsOperator(app, 'operator.audit.list', { merchantId: '', subject: 'clock', count: 10 })
        assert.deepEqual(
          (entries as { entries: { action: string; actor: string }[] }).entries.map(({ action, actor }) => [actor, action]).sort(),
          [
            ['operator', 'clock.confirmed'],
            ['system', 'clock.refused'],
          ],
        )
      } finally {
        await app.close()
      }
    }),
  )

  test(
    'while the clock is refused, a call whose process died is found lost by the monotonic clock, and its outcome is asked',
    withStore(async ({ store }) => {
      const app = await createTestApp({ after }, { store })
      const crashing = createCrashingStore(store, { write: 1, isDurable: true })
      const dying = await createTestApp({ after }, { store: crashing.store, continues: app })
      try {
        const merchant = app.merchant()
        const token = await merchant.createVerifiedToken(successPan)
        const id = await newReceipt(merchant)
        void dying.merchant('spec', merchant.merchantId).callRaw('receipts.pay', { id, token })
        await crashing.crashed
        const stateOf = async (): Promise<number> => (await rowOf(app, merchant, id)).state
        assert.equal(await stateOf(), 2)

        app.clock.jump(2 * day)
        await app.receiptWorker.runOnce()
        app.clock.advance(leaseMs - 1)
        await app.receiptWorker.runOnce()
        assert.deepEqual([await stateOf(), (await clockOf(app)).trusted], [2, false])
        for (let round = 0; round < 3; round++) {
          app.clock.advance(leaseMs)
          await app.receiptWorker.runOnce()
        }
        const row = await rowOf(app, merchant, id)
        assert.deepEqual([row.state, (await clockOf(app)).trusted], [0, false])
        assert.deepEqual(
          (await ledgerOf(app, row)).map(({ kind }) => kind),
          ['reverse'],
        )
      } finally {
        await dying.close()
        await app.close()
      }
    }),
  )

  test(
    'while the clock is refused, unpaid receipts and expired holds hide no refund behind them',
    withStore(async ({ store, raw }) => {
      const app = await createTestApp({ after }, { store })
      try {
        const merchant = app.merchant()
        const token = await merchant.createVerifiedToken(successPan)
        const [unpaidId, heldId, paidId] = [await newReceipt(merchant), await newHold(merchant, token), await newReceipt(merchant)]
        await merchant.call('receipts.pay', { id: paidId, token })
        for (const [receiptId, prefix] of [[unpaidId, 'f'] as const, [heldId, 'e'] as const])
          await copyReceipt(raw, receiptId, { prefix, count: 1100 })
        app.clock.jump(8 * day)
        await merchant.call('receipts.cancel', { id: paidId })
        await app.receiptWorker.runOnce()
        assert.deepEqual([(await rowOf(app, merchant, paidId)).state, (await rowOf(app, merchant, heldId)).state], [50, 5])
        assert.deepEqual([(await rowOf(app, merchant, unpaidId)).state, (await clockOf(app)).trusted], [0, false])
      } finally {
        await app.close()
      }
    }),
  )

  test(
    'while the clock is refused, a capture without a reply is asked for again, although the time of its hold seems over',
    withStore(async ({ store }) => {
      const app = await createTestApp({ after }, { store })
      try {
        const merchant = app.merchant()
        const id = await newHold(merchant, await merchant.createVerifiedToken(successPan))
        const step = (name: string) =>
          app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: name })
        await step('lose_request')
        await pass(app, merchant.callRaw('receipts.confirm_hold', { id }))
        app.clock.jump(8 * day)
        await pass(app, app.receiptWorker.runOnce())
        assert.equal((await rowOf(app, merchant, id)).state, 5)
        await step('none')
        app.clock.advance(leaseMs)
        await pass(app, app.receiptWorker.runOnce())
        assert.deepEqual([(await rowOf(app, merchant, id)).state, (await clockOf(app)).trusted], [4, false])
      } finally {
        await app.close()
      }
    }),
  )

  test(
    'what a clock that was ahead has postponed is due after a lease when the clock is corrected and confirmed, and no hold ends early',
    withStore(async ({ store }) => {
      const app = await createTestApp({ after }, { store })
      try {
        const merchant = app.merchant()
        const token = await merchant.createVerifiedToken(successPan)
        const [heldId, capturedId, paidId] = [await newHold(merchant, token), await newHold(merchant, token), await newReceipt(merchant)]
        const step = (name: string) =>
          app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: name })
        await step('lose_request')
        await pass(app, merchant.callRaw('receipts.pay', { id: paidId, token }))
        await pass(app, merchant.callRaw('receipts.confirm_hold', { id: capturedId }))
        app.clock.jump(8 * day)
        const unpaidId = await newReceipt(merchant)
        await pass(app, app.receiptWorker.runOnce())
        app.clock.jump(-8 * day)
        await step('none')
        assert.deepEqual(await confirmClock(app), { success: true })
        for (let round = 0; round < 3; round++) {
          app.clock.advance(leaseMs)
          await pass(app, app.receiptWorker.runOnce())
        }
        const states = await Promise.all([paidId, capturedId, heldId, unpaidId].map(async (id) => (await rowOf(app, merchant, id)).state))
        assert.deepEqual(states, [0, 4, 5, 0])
      } finally {
        await app.close()
      }
    }),
  )

  test(
    'time that passes on both clocks, or in the sandbox, is trusted',
    withStore(async ({ store }) => {
      const app = await createTestApp({ after }, { store })
      try {
        const merchant = app.merchant()
        const token = await merchant.createToken(successPan)
        app.clock.advance(100 * day)
        await runEveryJob(app)
        assert.equal(await cardStateOf(app, merchant, token), 'ended')
        const second = await merchant.createToken(successPan)
        assert.equal(await app.controls?.moveClock(null, 2 * day, { actor: 'operator', requestId: '', address: '' }), null)
        await runEveryJob(app)
        assert.equal(await cardStateOf(app, merchant, second), 'ended')
        assert.deepEqual(await clockOf(app), { trusted: true, reason: null, bySeconds: null })
      } finally {
        await app.close()
      }
    }),
  )

  test(
    'sign-in records and known devices are deleted by one time, also when the clock jumps between them',
    withStore(async ({ store }) => {
      const before: number[] = []
      const write: Store['write'] = async (transaction, input) => {
        const isOfSignIn = [deleteOldSignInAttempts, deleteOldKnownDevices].some((each) => Object.is(each, transaction))
        if (isOfSignIn) before.push((input as unknown as { readonly before: number }).before)
        if (isOfSignIn) app.clock.jump(100 * day)
        return store.write(transaction, input)
      }
      const app = await createTestApp({ after }, { store: { ...store, write } })
      try {
        const now = app.clock.now()
        await app.dashboard.deleteOldSignIns()
        assert.deepEqual(before, [now, now - deviceLifetimeMs])
      } finally {
        await app.close()
      }
    }),
  )

  test(
    'a machine that was suspended, also again and again, has the right time',
    withStore(async ({ store }) => {
      const app = await createTestApp({ after }, { store })
      try {
        for (let night = 0; night < 30; night++) app.clock.suspend(day / 3)
        assert.equal((await clockOf(app)).trusted, true)
        app.clock.jump(day + 1)
        assert.equal((await clockOf(app)).trusted, false)
      } finally {
        await app.close()
      }
    }),
  )

  test(
    'a start whose clock stands behind the last audit entry is refused beyond the bound',
    withStore(async ({ store }) => {
      const first = await createTestApp({ after }, { store, environment: 'production' })
      await first.merchant().createToken(successPan)
      await first.close()
      for (const [behindMs, trusted] of [
        [4000, true],
        [6000, false],
      ] as const) {
        first.clock.jump(-behindMs)
        const next = await createTestApp({ after }, { store, environment: 'production', continues: first })
        try {
          assert.equal((await clockOf(next)).trusted, trusted, String(behindMs))
        } finally {
          await next.close()
          first.clock.jump(behindMs)
        }
      }
    }),
  )
}

interface Subject {
  readonly token: string
  readonly unpaidId: string
  readonly heldId: string
}

/** Something of everything that ends by time. */
async function createSubject(app: TestApp, merchant: TestMerchant): Promise<Subject> {
  const payer = await merchant.createVerifiedToken(successPan)
  const held = await newHold(merchant, payer)
  const subject = { token: await merchant.createToken(successPan), unpaidId: await newReceipt(merchant), heldId: held }
  await merchant.call('form.sessions.create', { origin: 'https://shop.example', save: 'ask' })
  await callOnce(app, merchant, () => Promise.resolve({ done: true }))
  await app.keyring.active('limits')
  return subject
}

async function newHold(merchant: TestMerchant, token: string): Promise<string> {
  const id = (await merchant.call('receipts.create', { amount: 500_000, account: { order_id: '1' }, hold: true })).receipt._id
  await merchant.call('receipts.pay', { id, token })
  return id
}

/** Copies a row, each time with another id; the copies have a MAC that does not fit. */
async function copyReceipt(
  raw: Raw,
  receiptId: string,
  { prefix, count }: { readonly prefix: string; readonly count: number },
): Promise<void> {
  const { columns } = receiptsTable
  const copied = columns.replace('receipt_id', `'${prefix}' || substr(cast(1000000 + n.number as text), 2) || substr(receipt_id, 8)`)
  await raw(`insert into receipts (${columns}) with recursive n(number) as (select 1 union all select number + 1 from n where number < ${String(count)})
    select ${copied} from receipts, n where receipt_id = '${receiptId}'`)
}

type Raw = (text: string) => Promise<unknown>

/** Runs something under one idempotency key. */
function callOnce(app: TestApp, { merchantId, bucket }: TestMerchant, run: () => Promise<object>): Promise<object> {
  const caller = { merchantId, bucket, kind: 'server' } as const
  const request = {
    key: 'order-1',
    caller,
    profile: 'spec',
    method: 'cards.check',
    params: {},
    cardNumber: null,
    requestId: 'a'.repeat(24),
  }
  return app.idempotency.once({ ...request, signal: new AbortController().signal }, { run, reconcile: null })
}

interface Snapshot {
  readonly card: string
  readonly unpaid: number
  readonly held: number
  readonly records: number
  readonly sessions: number
  readonly dayKey: string
  readonly cardKeys: number
}

async function takeSnapshot(
  app: TestApp,
  merchant: TestMerchant,
  { token, unpaidId, heldId, raw }: Subject & { readonly raw: Raw },
): Promise<Snapshot> {
  const count = async (table: string): Promise<number> => {
    const [row] = (await raw(`select count(*) as n from ${table} where merchant_id = '${merchant.merchantId}'`)) as { n: number | string }[]
    return Number(row?.n)
  }
  const keys = app.keyring.list()
  return {
    card: await cardStateOf(app, merchant, token),
    unpaid: (await rowOf(app, merchant, unpaidId)).state,
    held: (await rowOf(app, merchant, heldId)).state,
    records: await count('idempotency'),
    sessions: await count('form_sessions'),
    dayKey: keys.find(({ purpose, epoch }) => purpose === 'limits' && epoch === 1)?.state ?? 'none',
    cardKeys: keys.filter(({ purpose, owner }) => purpose === 'card' && owner === merchant.merchantId).length,
  }
}

async function cardStateOf({ store }: TestApp, { merchantId, bucket }: TestMerchant, token: string): Promise<string> {
  return (await store.read(findCard({ merchantId, bucket, cardId: token.slice(0, 24) })))?.state ?? 'none'
}

/** Every background job of the service, and the receipts that it began. */
async function runEveryJob(app: TestApp): Promise<void> {
  for (const { run } of listBackgroundJobs(app.app.services)) {
    const done = new AbortController()
    const ended = run(new AbortController().signal).finally(() => done.abort())
    // Between two pages the jobs pause, for the shortest time as long as this clock stands.
    while (!done.signal.aborted) {
      if (app.clock.isSleeping(pauseMs)) app.clock.advance(pauseMs)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await ended
  }
  await app.receiptWorker.runOnce()
}

/** `leaseMs` of payments. */
const leaseMs = 30_000

/** `minPauseMs` in domain/work-pace.ts. */
const pauseMs = 5
