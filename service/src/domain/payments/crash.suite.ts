import { after } from 'node:test'

import assert from 'node:assert/strict'

import { receiptStates } from '@tessera/contract/receipt'

import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import { randomHex } from '../../testing/random.fixture.ts'
import {
  ledgerOf,
  newReceipt,
  pass,
  rowOf,
  advanceAllReceipts,
  successPan,
  takenBy,
  takenIn,
  type Until,
} from '../../testing/receipts.fixture.ts'

import { createCrashingStore } from './crashing-store.fixture.ts'
import { findAuthorization, isOperationPending } from './network-operations.ts'
import { findCard } from '../../store/cards.ts'
import { listOperations } from '../../store/operations.ts'
import { setScenarioStep } from '../../store/sandbox.ts'

/** The operation in progress when the process crashes. */
export interface CrashScenario {
  readonly name: string
  /** Created before the crash. */
  readonly isPaid?: boolean
  readonly hold: boolean
  readonly save: boolean
  readonly run: (merchant: TestMerchant, call: ScenarioCall) => Promise<unknown>
  /** Injects another fault; called before each run, returns its repair. */
  readonly strike?: () => () => void
  /** Further checks at the end. */
  readonly agree?: (merchant: TestMerchant, receiptId: string) => Promise<void>
}

interface ScenarioCall {
  readonly id: string
  readonly token: string
}

const pay: CrashScenario['run'] = (merchant, { id, token }) => merchant.callRaw('receipts.pay', { id, token })
const cancel: CrashScenario['run'] = (merchant, { id }) => merchant.callRaw('receipts.cancel', { id })
const confirm: CrashScenario['run'] = (merchant, { id }) => merchant.callRaw('receipts.confirm_hold', { id, amount: 300 })

export const crashScenarios: readonly CrashScenario[] = [
  { name: 'pay', hold: false, save: true, run: pay },
  { name: 'pay with a one-time token', hold: false, save: false, run: pay },
  { name: 'hold with a one-time token', hold: true, save: false, run: pay },
  { name: 'cancel what is paid', hold: false, save: true, isPaid: true, run: cancel },
  { name: 'cancel what is held', hold: true, save: true, isPaid: true, run: cancel },
  { name: 'confirm a part of a hold', hold: true, save: true, isPaid: true, run: confirm },
]

/** Crashes at every write of an operation and of its reconciliation, before and after the write is durable. Returns how often it crashed. */
export async function crashAtEveryWrite(app: TestApp, scenario: CrashScenario, fault: string): Promise<number> {
  let crashes = 0
  for (let write = 1; write < writesMax; write++) {
    const crashed = [
      await crashAtWrite(app, scenario, { fault, write, isDurable: false }),
      await crashAtWrite(app, scenario, { fault, write, isDurable: true }),
    ]
    if (!crashed.includes(true)) return crashes
    crashes += crashed.filter((hasCrashed) => hasCrashed).length
  }
  throw new Error(`${scenario.name} takes more than ${writesMax} writes`)
}

interface CrashPoint {
  readonly fault: string
  readonly write: number
  readonly isDurable: boolean
}

/** Returns whether it crashed; false when the operation has fewer writes. */
async function crashAtWrite(app: TestApp, scenario: CrashScenario, { fault, write, isDurable }: CrashPoint): Promise<boolean> {
  const title = `${scenario.name}, ${fault}, write ${write} ${isDurable ? 'durable' : 'lost'}`
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan, { save: scenario.save })
  const { receipt } = await merchant.call('receipts.create', { amount: 500, hold: scenario.hold, account: { order_id: randomHex(8) } })
  const id = receipt._id
  if (scenario.isPaid === true) await merchant.call('receipts.pay', { id, token })
  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: fault })

  const repairOutside = scenario.strike?.()
  const { store, crashed } = createCrashingStore(app.store, { write, isDurable })
  // This process crashes, so nothing closes its application.
  const crashing = await createTestApp({ after: () => undefined }, { store, continues: app })
  const until: Until = {}
  // A network that cannot be reached cannot reverse a payment either, so this fault is repaired; the others remain.
  const repair = () =>
    fault === 'lose_request'
      ? app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'none' })
      : undefined
  const doing = pass(crashing, scenario.run(crashing.merchant('spec', merchant.merchantId), { id, token }), until)
  const settled = doing.then(repair).then(() => advanceAllReceipts(crashing, until))
  const hasCrashed = await Promise.race([settled.then(() => false), crashed])
  until.isOver = true
  await repair()

  const next = await createTestApp({ after }, { store: app.store, continues: app })
  await advanceAllReceipts(next)
  repairOutside?.()
  await expectAgreement(next, merchant, { id, token, title })
  await scenario.agree?.(merchant, id)
  await next.close()
  return hasCrashed
}

/** Ledger and receipt agree, nothing is in progress, and a one-time token is either used up or usable. */
async function expectAgreement(
  app: TestApp,
  merchant: TestMerchant,
  { id, token, title }: ScenarioCall & { title: string },
): Promise<void> {
  const row = await rowOf(app, merchant, id)
  const { created, paid, held, cancelled } = receiptStates
  assert.ok(([created, paid, held, cancelled] as number[]).includes(row.state), `${title}: left in state ${row.state}`)
  assert.deepEqual(takenBy(await ledgerOf(app, row)), takenIn(row), title)
  const operations = await app.store.read(listOperations(row))
  assert.ok(!operations.some((operation) => isOperationPending(operation)), `${title}: an operation is left open`)
  assert.equal(findAuthorization(operations) === null, row.state === created, title)
  assert.deepEqual(app.alarms, [], title)

  await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: 'network', step: 'none' })
  const again = app.merchant('spec', merchant.merchantId)
  const reply = await again.callRaw('receipts.pay', { id: await newReceipt(again), token })
  const card = await app.store.read(findCard({ ...merchant, cardId: token.slice(0, 24) }))
  const isUsedUp = 'error' in reply && reply.error.reason === 'card_deleted' && card?.state === 'removed'
  assert.ok('receipt' in reply || isUsedUp, `${title}: the token is left locked`)
}

const writesMax = 60
