import type { Result } from '@tessera/contract/methods'

import type { LedgerRow, OperationRow, ReceiptRow } from '../store/store.ts'

import type { Caller } from './caller.fixture.ts'
import type { House } from './compose.fixture.ts'

export type ToldReceipt = Result<'receipts.get'>['receipt']

export const successPan = '8600069195406311'

/** Creates a receipt and tells its id. */
export async function newReceipt(merchant: Caller, sum = 500_000): Promise<string> {
  return (await merchant.expect('receipts.create', { amount: sum, account: { order_id: '197' } })).receipt._id
}

export async function rowOf({ store }: House, { bucket, merchantId }: Caller, receiptId: string): Promise<ReceiptRow> {
  const row = await store.findReceipt({ bucket, merchantId, receiptId })
  if (row === null) throw new Error(`no receipt ${receiptId}`)
  return row
}

/** Everything that the network's ledger knows of a receipt's operations. */
export async function ledgerOf(house: House, row: ReceiptRow): Promise<LedgerRow[]> {
  const operations = await house.store.listOperations(row)
  const refs = new Set(operations.map(({ requestId }) => `sandbox-${requestId}`))
  return (await Promise.all([...refs].map((ref) => house.store.listLedger(ref)))).flat()
}

/** What the cardholder is left without, by the ledger alone: taken or held, in tiyin. */
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

/** What the ledger must say for a receipt in this state. */
export function takenIn({ state, takenTiyin }: ReceiptRow): { takenTiyin: number; heldTiyin: number } {
  return { takenTiyin: state === 4 ? takenTiyin : 0, heldTiyin: state === 5 ? takenTiyin : 0 }
}

/** Lets the background work until nothing is due for a quarter of an hour, however long the network says nothing. */
export async function settleAll(house: House, until: Until = {}): Promise<void> {
  for (let round = 0; round < roundsMax && until.isOver !== true; round++) {
    const [next] = await house.store.listDueReceipts(house.clock.now() + quietMs, 1)
    if (next === undefined) return
    house.clock.advance(Math.max(0, (next.dueAt ?? 0) - house.clock.now()))
    await pass(house, house.settle.runOnce(), until)
  }
}

/** Whether the one who waits has fallen meanwhile. */
export interface Until {
  isOver?: boolean
}

/** Wakes whoever waits for a network that says nothing, until the deed is done. */
export async function pass<T>({ clock }: House, doing: Promise<T>, until: Until = {}): Promise<T> {
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

/** How long the test card thinks, how long a silent network sleeps, and how long we wait for it. */
const scenarioMs = 10_000
const silenceMs = 60_000
const networkTimeoutMs = 12_000
const quietMs = 900_000
const roundsMax = 100
