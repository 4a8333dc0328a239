import { receiptStates } from '@tessera/contract/receipt'
import type { ReceiptStatus } from '@tessera/contract/receipt-status'

import type { OperationRow } from '../../store/operations.ts'
import type { ReceiptRow } from '../../store/receipts.ts'

/** The columns of a receipt that its status depends on. */
export type ReceiptFacts = Pick<ReceiptRow, 'state' | 'flagged' | 'error' | 'payTime' | 'sourceCancel'>

const { created, checking, debiting, awaitingMerchant, paid, held, holding, unknown, returning, cancelled } = receiptStates

/** The status of a receipt as the dashboard shows it. `operations` are all of the receipt's. */
export function deriveReceiptStatus(receipt: ReceiptFacts, operations: readonly OperationRow[]): ReceiptStatus {
  if (receipt.flagged) return 'needs_review'
  switch (receipt.state) {
    case created:
      return receipt.error === null ? 'open' : 'failed'
    case checking:
    case debiting:
    case awaitingMerchant:
    case holding:
      return 'processing'
    case paid:
      return isCaptured(operations) ? 'captured' : 'paid'
    case held:
      // While a capture is in progress the receipt is still held.
      return 'authorized'
    case unknown:
      return 'pending_confirmation'
    case returning:
      return isVoid(operations) ? 'processing' : 'refunding'
    default:
      return statusOfCancelled(receipt, operations)
  }
}

function statusOfCancelled(receipt: ReceiptFacts, operations: readonly OperationRow[]): ReceiptStatus {
  const wasRequested = receipt.sourceCancel !== null
  // No payment was ever approved.
  if (receipt.payTime === 0) {
    if (wasRequested) return 'cancelled'
    // The last payment was declined and nobody tried again, or a debit of unknown outcome was returned.
    return receipt.error !== null || operations.some(({ kind }) => kind === 'reverse') ? 'failed' : 'expired'
  }
  if (isVoid(operations)) return wasRequested ? 'voided' : 'expired'
  // Without a request the merchant's endpoint refused what was debited, or never confirmed it.
  return wasRequested ? 'refunded' : 'failed'
}

/** Whether a hold was, or is being, released and never captured. */
function isVoid(operations: readonly OperationRow[]): boolean {
  return operations.some(({ kind }) => kind === 'cancelHold') && !isCaptured(operations)
}

function isCaptured(operations: readonly OperationRow[]): boolean {
  return operations.some(({ kind, state }) => kind === 'capture' && state === 'approved')
}

/** Whether the merchant got the money at some time: it is paid, or was until somebody asked for its return. */
export function wasPaid({ state, sourceCancel }: Pick<ReceiptFacts, 'state' | 'sourceCancel'>): boolean {
  return state === paid || ((state === returning || state === cancelled) && sourceCancel !== null)
}

/** What was debited from the cardholder and what was returned, in tiyin, by the replies of the network. Returned is never more than debited. */
export interface ReceiptMoney {
  readonly capturedTiyin: number
  readonly refundedTiyin: number
  /** When the network said so, unix milliseconds; 0: not yet. */
  readonly capturedAt: number
  readonly refundedAt: number
}

export const noMoney: ReceiptMoney = Object.freeze({ capturedTiyin: 0, refundedTiyin: 0, capturedAt: 0, refundedAt: 0 })

/** The sums over a receipt's operations. A hold counts when it was captured. */
export function sumReceiptMoney(operations: readonly OperationRow[]): ReceiptMoney {
  const approvedOf = (...kinds: readonly OperationRow['kind'][]): OperationRow[] =>
    operations.filter(({ kind, state }) => state === 'approved' && kinds.includes(kind))
  const [debits, returns] = [approvedOf('authorise', 'capture'), approvedOf('refund', 'reverse')]
  const capturedTiyin = sumOf(debits)
  const refundedTiyin = Math.min(capturedTiyin, sumOf(returns))
  return {
    capturedTiyin,
    refundedTiyin,
    capturedAt: capturedTiyin === 0 ? 0 : lastOf(debits),
    refundedAt: refundedTiyin === 0 ? 0 : lastOf(returns),
  }
}

function sumOf(operations: readonly OperationRow[]): number {
  return operations.reduce((sum, { amountTiyin }) => sum + amountTiyin, 0)
}

function lastOf(operations: readonly OperationRow[]): number {
  return operations.reduce((last, { resolvedAt }) => Math.max(last, resolvedAt), 0)
}
