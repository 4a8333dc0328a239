import type { Moved } from '../network/network.ts'
import type { OperationRow, ReceiptRow } from '../store/store.ts'

import { askMoney, type Said } from './ask.ts'
import { changeReceipt, type Change } from './change.ts'
import { authorisationOf, isLaterMovement, movementOf } from './operations.ts'
import type { ReceiptTools } from './tools.ts'

/** A receipt that the background looks after. */
export interface Looking {
  readonly tools: ReceiptTools
  readonly receipt: ReceiptRow
  readonly signal: AbortSignal
}

/** Takes the receipt for as long as a call may take, so that no other process asks for the same at the same time. */
export async function lease({ tools, receipt }: Looking): Promise<ReceiptRow | null> {
  const to = { dueAt: tools.clock.now() + tools.figures.leaseMs, looks: receipt.looks + 1 }
  return keep(tools, { from: receipt, to, action: 'receipt.looked', outcome: 'leased' })
}

/** The status of a call first: it is made, under its own requestId, only when the network has never seen it. */
export async function askAgain({ tools, signal }: Looking, operation: OperationRow, all: readonly OperationRow[]): Promise<Said<Moved>> {
  const authorisation = authorisationOf(all)
  const { kind, requestId } = operation
  if (authorisation === null || !isLaterMovement(kind)) throw new Error(`${kind} is not asked for again`)
  const status = await askMoney(tools, signal, (network, until) => network.status(requestId, until))
  if (status.kind !== 'neverSeen') return status
  return askMoney(tools, signal, (network, until) => network[kind](movementOf(operation, authorisation), until))
}

/** A change that nobody asked for; null when somebody else changed the receipt first. */
export async function keep(tools: ReceiptTools, change: Omit<Change, 'asker'>): Promise<ReceiptRow | null> {
  const kept = await changeReceipt(tools, { ...change, asker: null })
  return typeof kept === 'string' ? null : kept
}
