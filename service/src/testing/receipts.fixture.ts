import type { Result } from '@tessera/contract/operations'

import { listOperations, type OperationRow } from '../store/operations.ts'
import { findReceipt, listDueReceipts, type ReceiptRow } from '../store/receipts.ts'
import { type LedgerRow, listLedgerEntries } from '../store/sandbox-ledger.ts'

import type { TestMerchant } from './test-merchant.fixture.ts'
import type { TestApp } from './test-app.fixture.ts'

export type ToldReceipt = Result<'receipts.get'>['receipt']

export const successPan = '8600069195406311'

/** Creates a receipt and returns its id. */
export async function newReceipt(merchant: TestMerchant, sum = 500_000): Promise<string> {
  return (await merchant.call('receipts.create', { amount: sum, account: { order_id: '197' } })).receipt._id
}

export async function rowOf({ store }: TestApp, { bucket, merchantId }: TestMerchant, receiptId: string): Promise<ReceiptRow> {
  const row = await store.read(findReceipt({ bucket, merchantId, receiptId }))
  if (row === null) throw new Error(`no receipt ${receiptId}`)
  return row
}

/** The entries of the network's ledger for a receipt's operations. */
export async function ledgerOf(app: TestApp, row: ReceiptRow): Promise<LedgerRow[]> {
  const operations = await app.store.read(listOperations(row))
  const refs = new Set(operations.map(({ requestId }) => `sandbox-${requestId}`))
  return (await Promise.all([...refs].map((ref) => app.store.read(listLedgerEntries(ref))))).flat()
}

/** The amount debited or held according to the ledger, in tiyin. */
export function takenBy(ledger: readonly LedgerRow[]): { takenTiyin: number; heldTiyin: number } {
  const refs = new Set(ledger.map(({ networkRef }) => networkRef))
  const sums = [...refs].map((ref) => sumsOf(ledger.filter(({ networkRef, outcome }) => networkRef === ref && outcome === 'approved')))
  return { takenTiyin: total(sums.map(([taken]) => taken)), heldTiyin: total(sums.map(([, held]) => held)) }
}

function sumsOf(rows: readonly LedgerRow[]): [takenTiyin: number, heldTiyin: number] {
  const sumOf = (...kinds: OperationRow['kind'][]) => total(rows.filter(({ kind }) => kinds.includes(kind)).map((row) => row.amountTiyin))
  const isReversed = rows.some(({ kind }) => kind === 'reverse')
  if (isReversed) return [0, 0]
  const isHeld = rows.some(({ kind }) => kind === 'hold') && !rows.some(({ kind }) => kind === 'capture' || kind === 'cancelHold')
  return [sumOf('authorise', 'capture') - sumOf('refund'), isHeld ? sumOf('hold') : 0]
}

function total(sums: readonly number[]): number {
  return sums.reduce((sum, next) => sum + next, 0)
}

/** The amount that the ledger must have for a receipt in this state. */
export function takenIn({ state, takenTiyin }: ReceiptRow): { takenTiyin: number; heldTiyin: number } {
  return { takenTiyin: state === 4 ? takenTiyin : 0, heldTiyin: state === 5 ? takenTiyin : 0 }
}

/** Runs the receipt worker until nothing is due for a quarter of an hour, even if the network does not respond. */
export async function advanceAllReceipts(app: TestApp, until: Until = {}): Promise<void> {
  for (let round = 0; round < roundsMax && until.isOver !== true; round++) {
    const [next] = await app.store.read(listDueReceipts(app.clock.now() + quietMs, 1))
    if (next === undefined) return
    app.clock.advance(Math.max(0, (next.dueAt ?? 0) - app.clock.now()))
    await pass(app, app.receiptWorker.runOnce(), until)
  }
}

/** Whether the simulated process has crashed meanwhile. */
export interface Until {
  isOver?: boolean
}

/** Moves the clock for callers that wait for a network that does not respond, until the promise is settled. */
export async function pass<T>({ clock }: TestApp, doing: Promise<T>, until: Until = {}): Promise<T> {
  const done = { is: false }
  const end = () => void (done.is = true)
  doing.then(end, end)
  while (!done.is && until.isOver !== true) {
    if (clock.isSleeping(scenarioMs)) clock.advance(scenarioMs)
    if (clock.isSleeping(silenceMs)) clock.advance(networkTimeoutMs)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return doing
}

/** The delay of the slow test card, that of a network that does not respond, and the network timeout. */
const scenarioMs = 10_000
const silenceMs = 60_000
const networkTimeoutMs = 12_000
const quietMs = 900_000
const roundsMax = 100
