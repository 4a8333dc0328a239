import { issueId } from '@tessera/vault/id'

import type { Movement, Moved } from '../network/network.ts'
import type { MovementKind, OperationKind, OperationRow, ReceiptRow } from '../store/store.ts'

/** A question to the network before it is asked, under a new requestId. `now` is unix milliseconds. */
export function newOperation(receipt: ReceiptRow, kind: OperationKind, amountTiyin: number, now: number): OperationRow {
  const { bucket, merchantId, receiptId } = receipt
  return {
    ...{ bucket, merchantId, receiptId, requestId: issueId(bucket, now), kind, amountTiyin },
    ...{ state: 'asked', networkRef: '', reason: '', rawCode: '', askedAt: now, settledAt: 0, cardId: '' },
  }
}

/** The question with what the network said; an unknown answer settles nothing. */
export function saidOf(operation: OperationRow, said: Moved, now: number): OperationRow {
  if (said.kind === 'approved') return { ...operation, state: 'approved', networkRef: said.networkRef, settledAt: now }
  if (said.kind === 'unknown') return { ...operation, state: 'unknown' }
  return { ...operation, state: 'declined', reason: said.reason, rawCode: said.rawCode, settledAt: now }
}

/** The authorisation that money hangs on: a receipt has at most one that was not declined. */
export function authorisationOf(operations: readonly OperationRow[]): OperationRow | null {
  return operations.find(({ kind, state }) => (kind === 'authorise' || kind === 'hold') && state !== 'declined') ?? null
}

/** The operation that a receipt stands at: under way, or the last one. */
export function currentOf(operations: readonly OperationRow[], { requestId }: ReceiptRow): OperationRow | null {
  return operations.find((operation) => operation.requestId === requestId) ?? null
}

export function isUnderWay(operation: OperationRow | null): boolean {
  return operation !== null && (operation.state === 'asked' || operation.state === 'unknown')
}

/** What became of the merchant's side of a payment; null where its endpoint was never told of it. */
export function performOf(operations: readonly OperationRow[]): OperationRow | null {
  return operations.find(({ kind }) => kind === 'merchantPerform') ?? null
}

/** What is asked of the network about an authorisation that there is. */
export function isLaterMovement(kind: OperationKind): kind is Exclude<MovementKind, 'authorise' | 'hold'> {
  return kind === 'capture' || kind === 'cancelHold' || kind === 'refund' || kind === 'reverse'
}

/** A call about the authorisation; it needs no PAN. */
export function movementOf(operation: OperationRow, authorisation: OperationRow): Movement {
  const { requestId, merchantId, amountTiyin } = operation
  return { requestId, merchantId, ofRequestId: authorisation.requestId, networkRef: authorisation.networkRef, amountTiyin }
}
