import { type ErrorName, RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import type { OperationRow } from '../../store/operations.ts'
import type { ReceiptRow } from '../../store/receipts.ts'
import type { RequestContext } from '../request-context.ts'

import type { PaymentServices } from './dependencies.ts'
import { loadOperations, loadReceiptWithOperations } from './find.ts'
import { storedMerchantError } from './merchant-callback.ts'
import {
  findAuthorization,
  findCurrentOperation,
  networkUnavailable,
  newOperation,
  queryStatus,
  sendFollowUpOnce,
  withNetworkReply,
} from './network-operations.ts'
import { findNetworkOf, leaseFollowUp, toStatusRequest } from './operation-network.ts'
import {
  errorByDeclineReason,
  isDeclineReason,
  nextAttemptAt,
  releaseCardLock,
  updateAfterRefusal,
  updateToReturning,
} from './receipt-patches.ts'
import { parsePaymentError } from './render.ts'
import { acquireLease, applyBackgroundTransition, type DueReceipt } from './transitions.ts'

/**
 * For the worker: finds the outcome of an unknown payment (state 20). If the network approved it, the money is returned, because a receipt reported as
 * unknown must not become paid later. If it declined, nothing was debited. If it has never seen the call, or has no status inquiry, the call is reversed before
 * the receipt can be paid again, because it may still arrive.
 */
export async function reconcileUnknown(due: DueReceipt): Promise<ReceiptRow | null> {
  const operations = await loadOperations(due.services, due.receipt)
  if (operations === null) return null
  const authorization = findAuthorization(operations)
  if (authorization === null) throw new Error('an unknown payment has no authorization')
  const current = findCurrentOperation(operations, due.receipt)
  if (current?.kind === 'reverse') return reconcileReversal(due, current, { authorization, operations })
  const receipt = await acquireLease(due)
  return receipt === null ? null : reconcileAuthorization({ ...due, receipt, authorization })
}

interface UnknownPayment extends DueReceipt {
  readonly authorization: OperationRow
}

async function reconcileAuthorization(payment: UnknownPayment): Promise<ReceiptRow | null> {
  const { services, receipt, signal, authorization } = payment
  const peer = findNetworkOf(services, receipt, authorization)
  const status = await queryStatus(services, peer, toStatusRequest(authorization, authorization), signal)
  const now = services.clock.now()
  if (status.kind === 'unknown') {
    const operation = withNetworkReply(authorization, status, now)
    return retryLater(payment, { operation, requestId: authorization.requestId, reply: status })
  }
  if (status.kind === 'declined') {
    const error = isDeclineReason(status.reason) ? errorByDeclineReason[status.reason] : 'declined'
    const operations = [withNetworkReply(authorization, status, now)]
    return recordNotPaid(payment, { cause: 'found_declined', error, outcome: status.reason, operations })
  }
  const reversal = newOperation(receipt, 'reverse', authorization.amountTiyin, now)
  if (status.kind === 'neverSeen' || status.kind === 'noInquiry') {
    const to = { requestId: reversal.requestId, dueAt: now }
    return applyBackgroundTransition(services, {
      cause: 'reversal_started',
      from: receipt,
      to,
      newOperations: [reversal],
      outcome: status.kind === 'neverSeen' ? 'never_seen' : 'no_inquiry',
    })
  }
  return applyBackgroundTransition(services, {
    cause: 'found_approved',
    from: receipt,
    to: { ...updateToReturning(reversal, now), networkRef: status.networkRef },
    operations: [withNetworkReply(authorization, status, now)],
    newOperations: [reversal],
    cardLock: releaseCardLock(receipt),
    outcome: 'approved',
  })
}

async function reconcileReversal(
  due: DueReceipt,
  reversal: OperationRow,
  found: { readonly authorization: OperationRow; readonly operations: readonly OperationRow[] },
): Promise<ReceiptRow | null> {
  const { services } = due
  const { authorization } = found
  const leased = await leaseFollowUp(due, reversal, found)
  if (leased === null) return null
  const payment: UnknownPayment = { ...due, receipt: leased.receipt, authorization }
  const reply = await sendFollowUpOnce(due, leased)
  const now = services.clock.now()
  const resolved = withNetworkReply(leased.operation, reply, now)
  if (reply.kind === 'approved') {
    const reversedAuthorization: OperationRow = { ...authorization, state: 'declined', reason: 'reversed', resolvedAt: now }
    return recordNotPaid(payment, {
      cause: 'reversed',
      error: 'debitFailed',
      outcome: 'reversed',
      operations: [resolved, reversedAuthorization],
    })
  }
  // After a declined reversal the status of the authorization is queried again.
  const requestId = reply.kind === 'declined' ? authorization.requestId : reversal.requestId
  return retryLater(payment, { operation: resolved, requestId, reply })
}

interface NotPaidOutcome {
  readonly cause: 'found_declined' | 'reversed'
  readonly error: ErrorName
  readonly outcome: string
  readonly operations: readonly OperationRow[]
}

function recordNotPaid(
  { services, receipt }: UnknownPayment,
  { cause, error, outcome, operations }: NotPaidOutcome,
): Promise<ReceiptRow | null> {
  return applyBackgroundTransition(services, {
    cause,
    from: receipt,
    to: updateAfterRefusal(services.settings, receipt, error),
    operations,
    cardLock: releaseCardLock(receipt),
    outcome,
  })
}

interface RetriedQuery {
  readonly operation: OperationRow
  /** Of the operation that is queried next. */
  readonly requestId: string
  readonly reply: { readonly kind: string; readonly decidesAt?: number }
}

/** Schedules the next query, each time after a longer wait. After a day the receipt is flagged for an operator. */
function retryLater({ services, receipt }: UnknownPayment, { operation, requestId, reply }: RetriedQuery): Promise<ReceiptRow | null> {
  const { clock, settings } = services
  const now = clock.now()
  const flagged = now - receipt.unknownSince >= settings.flagAfterMs
  return applyBackgroundTransition(services, {
    cause: 'still_unknown',
    from: receipt,
    to: { requestId, dueAt: nextAttemptAt(settings, receipt, { now, reply }), flagged },
    operations: [operation],
    outcome: flagged ? 'flagged' : 'still_unknown',
  })
}

/** A call whose outcome was not stored under its idempotency key, and the network operation that it started. */
export interface EarlierCall {
  readonly receiptId: string
  /** Of the authorization or the capture. */
  readonly requestId: string
  /** Whether the lease of the call is over. */
  readonly isExpired: boolean
}

/**
 * The outcome of an earlier payment or capture, from the receipt and its operation; no external system is called. Null while the call is in progress.
 * Throws `paymentUnknown` until reconciliation has found the outcome.
 */
export async function findCallOutcome(
  services: PaymentServices,
  { receiptId, requestId, isExpired }: EarlierCall,
  ctx: RequestContext,
): Promise<ReceiptRow | null> {
  const { receipt, operations } = await loadReceiptWithOperations(services, receiptId, ctx)
  const operation = operations.find((each) => each.requestId === requestId)
  if (operation === undefined) throw new Error('the operation of an idempotency claim is missing')
  if (operation.state === 'approved' && receipt.state === receiptStates.awaitingMerchant) {
    if (isExpired) throw new RpcError('merchantClosing')
    return null
  }
  if (operation.state === 'approved') return assertNotReturned(operation, receipt)
  if (operation.state === 'declined') throw storedMerchantError(operation) ?? new RpcError(errorOfDeclinedOperation(operation))
  if (operation.state === 'unknown' || receipt.state === receiptStates.unknown || isExpired) throw new RpcError('paymentUnknown')
  return null
}

/** A late approval is reversed: the caller must not get the receipt as if it were paid. */
function assertNotReturned({ kind }: OperationRow, receipt: ReceiptRow): ReceiptRow {
  if (kind === 'capture') return receipt
  const isReturned = receipt.state === receiptStates.returning || receipt.state === receiptStates.cancelled
  if (!isReturned) return receipt
  const error = parsePaymentError(receipt)
  if (error?.data !== undefined) throw new RpcError('merchantRefused', { data: error.data })
  throw new RpcError('receiptCancelled')
}

function errorOfDeclinedOperation({ kind, reason }: OperationRow): ErrorName {
  if (reason === networkUnavailable) return 'networkUnavailable'
  if (kind === 'capture' || reason === 'reversed' || reason === 'statement') return 'debitFailed'
  return isDeclineReason(reason) ? errorByDeclineReason[reason] : 'declined'
}
