import { receiptStates, type ReceiptState } from '@tessera/contract/receipt'

import type { OperationRow, ReceiptRow } from '../store/store.ts'

import { keepCapture } from './capture.ts'
import { giveUpChecking } from './clear.ts'
import { settleClosing } from './closing.ts'
import { asCancelled, asReturning, backoffMs } from './life.ts'
import { askAgain, keep, lease, type Looking } from './looking.ts'
import { currentOf, isUnderWay, newOperation, saidOf } from './operations.ts'
import type { ReceiptTools } from './tools.ts'
import { settleUnknown } from './unknown.ts'
import { tellCancelled, withdrawalOf } from './withdraw.ts'

/** What the background does with a receipt that is due: one step, and the receipt as that leaves it. Null: somebody else was first. */
export async function nextStep(tools: ReceiptTools, receipt: ReceiptRow, signal: AbortSignal): Promise<ReceiptRow | null> {
  return steps[receipt.state]({ tools, receipt, signal })
}

type Step = (looking: Looking) => Promise<ReceiptRow | null>

const { created, checking, debiting, closing, paid, held, holding, unknown, returning, cancelled } = receiptStates
const steps: Readonly<Record<ReceiptState, Step>> = Object.freeze({
  [created]: expire,
  [checking]: giveUpChecking,
  ...{ [debiting]: loseSight, [holding]: loseSight },
  ...{ [held]: settleHeld, [unknown]: settleUnknown, [returning]: settleReturn },
  ...{ [closing]: settleClosing, [paid]: rest, [cancelled]: tellCancelled },
} as const)

/** Nobody paid it for twelve hours. */
function expire({ tools, receipt }: Looking): Promise<ReceiptRow | null> {
  const to = asCancelled(tools.clock.now())
  return keep(tools, { from: receipt, to, action: 'receipt.cancelled', outcome: 'expired', event: 'receipt.cancelled' })
}

/** Whoever asked the network is gone: what it said, if it said anything, is lost. */
function loseSight({ tools, receipt }: Looking): Promise<ReceiptRow | null> {
  const now = tools.clock.now()
  return keep(tools, { from: receipt, to: { state: unknown, unknownSince: now, dueAt: now }, action: 'receipt.unknown', outcome: 'lost' })
}

/** Asks what became of a capture, or lets the hold lapse. */
async function settleHeld(looking: Looking): Promise<ReceiptRow | null> {
  const { tools, receipt } = looking
  const operations = await tools.store.listOperations(receipt)
  const capture = currentOf(operations, receipt)
  if (capture === null || !isUnderWay(capture) || capture.kind !== 'capture') return lapse(looking)
  const leased = await lease(looking)
  if (leased === null) return null
  const said = await askAgain({ ...looking, receipt: leased }, capture, operations)
  return keepCapture(tools, { receipt: leased, capture, said, asker: null })
}

function lapse({ tools, receipt }: Looking): Promise<ReceiptRow | null> {
  const now = tools.clock.now()
  const operation = newOperation(receipt, 'cancelHold', receipt.takenTiyin, now)
  const to = asReturning(operation, now)
  return keep(tools, { from: receipt, to, operations: [operation], action: 'receipt.returning', outcome: 'lapsed' })
}

/** Asks for the money to go back, until the network says that it did. */
async function settleReturn(looking: Looking): Promise<ReceiptRow | null> {
  const { tools, receipt } = looking
  const operations = await tools.store.listOperations(receipt)
  const operation = currentOf(operations, receipt)
  if (operation === null) throw new Error('money goes back by an operation')
  if (operation.state === 'declined') return askAnew(looking, operation)
  const leased = await lease(looking)
  if (leased === null) return null
  const said = await askAgain({ ...looking, receipt: leased }, operation, operations)
  const now = tools.clock.now()
  const settled = { from: leased, operations: [saidOf(operation, said, now)] }
  if (said.kind === 'approved') {
    const withdrawal = withdrawalOf(leased, operations, now)
    const cancelled = { from: leased, operations: [...settled.operations, ...(withdrawal === null ? [] : [withdrawal])] }
    const to = { ...asCancelled(now), dueAt: withdrawal === null ? null : now }
    return keep(tools, { ...cancelled, to, action: 'receipt.cancelled', outcome: operation.kind, event: 'receipt.cancelled' })
  }
  const firstAskedAt = Math.min(...operations.filter(isReturn).map(({ askedAt }) => askedAt))
  const flagged = now - firstAskedAt >= tools.figures.flagAfterMs
  const to = { dueAt: now + backoffMs(tools.figures, leased.looks), flagged }
  return keep(tools, { ...settled, to, action: 'receipt.returning', outcome: said.kind })
}

/** A return that was definitely refused may be asked for again, under a new requestId. */
function askAnew({ tools, receipt }: Looking, { kind, amountTiyin }: OperationRow): Promise<ReceiptRow | null> {
  const now = tools.clock.now()
  const operation = newOperation(receipt, kind, amountTiyin, now)
  const to = { requestId: operation.requestId, dueAt: now }
  return keep(tools, { from: receipt, to, operations: [operation], action: 'receipt.returning', outcome: 'again' })
}

function isReturn({ kind }: OperationRow): boolean {
  return kind === 'refund' || kind === 'cancelHold' || kind === 'reverse'
}

function rest({ tools, receipt }: Looking): Promise<ReceiptRow | null> {
  return keep(tools, { from: receipt, to: { dueAt: null }, action: 'receipt.looked', outcome: 'done' })
}
