import type { ErrorName } from '@tessera/contract/errors'

import type { Moved } from '../network/network.ts'
import type { OperationRow, ReceiptChange, ReceiptRow } from '../store/store.ts'

import { askMoney, type Said } from './ask.ts'
import type { Change } from './change.ts'
import { afterRefusal, asReturning, backoffMs, isDeclineReason, refusalOf } from './life.ts'
import { askAgain, keep, lease, type Looking } from './looking.ts'
import { authorisationOf, currentOf, newOperation, saidOf } from './operations.ts'
import type { ReceiptTools } from './tools.ts'

/**
 * Settles a payment whose outcome is unknown. What the network approved goes back, for the merchant was told that it did not happen; what it
 * declined never happened; and what it has never seen is reversed before the receipt may be paid again, since it may still be on its way.
 */
export async function settleUnknown(looking: Looking): Promise<ReceiptRow | null> {
  const operations = await looking.tools.store.listOperations(looking.receipt)
  const authorisation = authorisationOf(operations)
  if (authorisation === null) throw new Error('an unknown payment was asked for')
  const leased = await lease(looking)
  if (leased === null) return null
  const known: Known = { ...looking, receipt: leased, operations, authorisation }
  const current = currentOf(operations, leased)
  return current?.kind === 'reverse' ? settleReversal(known, current) : settleAuthorisation(known)
}

interface Known extends Looking {
  readonly operations: readonly OperationRow[]
  readonly authorisation: OperationRow
}

async function settleAuthorisation(known: Known): Promise<ReceiptRow | null> {
  const { tools, receipt, signal, authorisation } = known
  const status = await askMoney(tools, signal, (network, until) => network.status(authorisation.requestId, until))
  const now = tools.clock.now()
  if (status.kind === 'unknown') return keep(tools, waiting(known, [saidOf(authorisation, status, now)]))
  const { amountTiyin } = authorisation
  if (status.kind === 'neverSeen') {
    const reversal = newOperation(receipt, 'reverse', amountTiyin, now)
    const to = { requestId: reversal.requestId, dueAt: now }
    return keep(tools, { from: receipt, to, operations: [reversal], action: 'receipt.unknown', outcome: 'never_seen' })
  }
  const settled = saidOf(authorisation, status, now)
  if (status.kind === 'declined') {
    const refusal = isDeclineReason(status.reason) ? refusalOf[status.reason] : 'declined'
    return keep(tools, refused(tools, receipt, { refusal, outcome: status.reason, operations: [settled] }))
  }
  const reversal = newOperation(receipt, 'reverse', amountTiyin, now)
  const to = { ...asReturning(reversal, now), networkRef: status.networkRef }
  const returning = { from: receipt, to, operations: [settled, reversal], cardLock: release(receipt) }
  return keep(tools, { ...returning, action: 'receipt.returning', outcome: 'approved' })
}

async function settleReversal(known: Known, reversal: OperationRow): Promise<ReceiptRow | null> {
  const { tools, receipt, operations, authorisation } = known
  const said: Said<Moved> = await askAgain(known, reversal, operations)
  const now = tools.clock.now()
  const settled = saidOf(reversal, said, now)
  if (said.kind === 'approved') {
    const undone: OperationRow = { ...authorisation, state: 'declined', reason: 'reversed', settledAt: now }
    return keep(tools, refused(tools, receipt, { refusal: 'debitFailed', outcome: 'reversed', operations: [settled, undone] }))
  }
  // Refused: then the authorisation is asked about anew.
  const { requestId } = said.kind === 'declined' ? authorisation : reversal
  const { to, ...wait } = waiting(known, [settled])
  return keep(tools, { ...wait, to: { ...to, requestId } })
}

interface Refused {
  readonly refusal: ErrorName
  readonly outcome: string
  readonly operations: readonly OperationRow[]
}

function refused({ figures }: ReceiptTools, receipt: ReceiptRow, { refusal, outcome, operations }: Refused): Omit<Change, 'asker'> {
  const settled = { from: receipt, to: afterRefusal(figures, receipt, refusal), operations, cardLock: release(receipt) }
  return { ...settled, action: 'receipt.refused', outcome, event: 'receipt.failed' }
}

/** Looks again later, each time later; after a day a person is to look as well. */
function waiting({ tools, receipt }: Known, operations: readonly OperationRow[]): Omit<Change, 'asker'> {
  const { clock, figures } = tools
  const now = clock.now()
  const flagged = now - receipt.unknownSince >= figures.flagAfterMs
  const to = { dueAt: now + backoffMs(figures, receipt.looks), flagged }
  return { from: receipt, to, operations, action: 'receipt.unknown', outcome: flagged ? 'flagged' : 'waiting' }
}

function release({ oneTime, cardId }: ReceiptRow): ReceiptChange['cardLock'] {
  return oneTime ? { cardId, move: 'release' } : null
}
