import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import type { AuditChange } from '../../store/audit.ts'
import type { OperationRow } from '../../store/operations.ts'
import type { ReceiptRow } from '../../store/receipts.ts'
import { retryOnConflict } from '../concurrency.ts'

import type { PaymentServices } from './dependencies.ts'
import { loadOperations, loadReceipt } from './find.ts'
import { newMerchantCancellation } from './merchant-callback.ts'
import {
  findAuthorization,
  findCurrentOperation,
  isOperationPending,
  newOperation,
  sendFollowUpOnce,
  withNetworkReply,
} from './network-operations.ts'
import { leaseFollowUp } from './operation-network.ts'
import { holdEndsAt, nextAttemptAt, updateToCancelled, updateToReturning } from './receipt-patches.ts'
import { isPaymentInProgress } from './states.ts'
import type { ReceiptContext } from './transition-records.ts'
import { applyBackgroundTransition, tryTransition, type DueReceipt, type ReceiptTransition } from './transitions.ts'

/** What ends a receipt: an unpaid one is cancelled, a hold is voided, a payment is refunded. */
export type ReceiptEnding = 'cancel' | 'void' | 'refund'

export interface CancelReceiptInput {
  readonly receiptId: string
  /** What the caller was shown and has agreed to; a receipt that would end otherwise is left alone. Null: whatever applies. */
  readonly expected?: ReceiptEnding | null
  /** Why, for the audit. */
  readonly remarks?: readonly AuditChange[]
}

/**
 * Cancels an unpaid receipt at once. A paid or held one goes to returning (21): the worker requests the refund or the release of the hold from the network,
 * and then it is cancelled (50).
 */
export function cancelReceipt(services: PaymentServices, input: CancelReceiptInput, ctx: ReceiptContext): Promise<ReceiptRow> {
  const { receiptId, expected = null, remarks = [] } = input
  return retryOnConflict(async () => {
    const receipt = await loadReceipt(services, receiptId, ctx)
    if (isPaymentInProgress(receipt.state)) throw new RpcError('receiptInProgress')
    if (expected !== null && endingOf(receipt) !== expected) throw new RpcError('cannotCancel')
    const transition = await cancelTransition(services, receipt, ctx)
    return transition === null ? null : tryTransition(services, { ...transition, remarks })
  })
}

function endingOf({ state }: ReceiptRow): ReceiptEnding | null {
  const { created, held, paid } = receiptStates
  return state === created ? 'cancel' : state === held ? 'void' : state === paid ? 'refund' : null
}

/** Null: the receipt was changed since it was read. */
async function cancelTransition(services: PaymentServices, receipt: ReceiptRow, ctx: ReceiptContext): Promise<ReceiptTransition | null> {
  const now = services.clock.now()
  const base = { from: receipt, ctx, isStart: true, reply: 'receipt' } as const
  if (receipt.state === receiptStates.created) {
    return { ...base, cause: 'cancelled_unpaid', to: { ...updateToCancelled(now), sourceCancel }, outcome: 'unpaid' }
  }
  if (receipt.state !== receiptStates.paid && receipt.state !== receiptStates.held) throw new RpcError('cannotCancel')
  const isHeld = receipt.state === receiptStates.held
  if (isHeld) {
    const operations = await loadOperations(services, receipt)
    if (operations === null) return null
    if (isOperationPending(findCurrentOperation(operations, receipt))) throw new RpcError('receiptInProgress')
  }
  if (!isHeld) await requireConfirmedRefund(services, receipt, ctx)
  const operation = newOperation(receipt, isHeld ? 'cancelHold' : 'refund', receipt.takenTiyin, now)
  const to = { ...updateToReturning(operation, now), sourceCancel }
  return { ...base, cause: 'cancel_requested', to, newOperations: [operation], outcome: operation.kind }
}

/** A user of the dashboard confirms who they are for a refund above the limit that the merchant's owner has set. Throws `confirmationRequired`. */
async function requireConfirmedRefund({ merchants }: PaymentServices, { merchantId, takenTiyin }: ReceiptRow, { caller }: ReceiptContext) {
  if (caller.user === undefined || caller.user.isConfirmed) return
  const merchant = await merchants.find(merchantId)
  if (takenTiyin > (merchant?.settings.refundUnconfirmedMax ?? 0)) throw new RpcError('confirmationRequired')
}

/** `meta.source_cancel` in the rendered receipt: cancelled by this API. */
const sourceCancel = 'subscribe'

/** For the worker: releases a hold whose time is over. Null while it is not, or while the clock is not trusted. */
export async function releaseExpiredHold({ services, receipt }: DueReceipt): Promise<ReceiptRow | null> {
  const now = services.clock.now()
  if (now < holdEndsAt(services.settings, receipt) || !services.clockGuard.isTrusted()) return null
  const operation = newOperation(receipt, 'cancelHold', receipt.takenTiyin, now)
  const to = updateToReturning(operation, now)
  return applyBackgroundTransition(services, {
    cause: 'hold_expired',
    from: receipt,
    to,
    newOperations: [operation],
    outcome: 'hold_expired',
  })
}

/** For the worker: requests the refund, release or reversal from the network until it confirms. */
export async function advanceReturn(due: DueReceipt): Promise<ReceiptRow | null> {
  const { services, receipt } = due
  const operations = await loadOperations(services, receipt)
  if (operations === null) return null
  const operation = findCurrentOperation(operations, receipt)
  if (operation === null) throw new Error('a returning receipt has no operation')
  if (operation.state === 'declined') return repeatReturn(due, operation)
  const authorization = findAuthorization(operations)
  if (authorization === null) throw new Error('a returning receipt has no authorization')
  const followUp = await leaseFollowUp(due, operation, { authorization, operations })
  if (followUp === null) return null
  const leased = followUp.receipt
  const reply = await sendFollowUpOnce(due, followUp)
  const now = services.clock.now()
  const resolved = withNetworkReply(followUp.operation, reply, now)
  if (reply.kind === 'approved') {
    const cancellation = newMerchantCancellation(leased, operations, now)
    return applyBackgroundTransition(services, {
      cause: 'returned',
      from: leased,
      to: { ...updateToCancelled(now), dueAt: cancellation === null ? null : now },
      operations: [resolved],
      newOperations: cancellation === null ? [] : [cancellation],
      outcome: operation.kind,
    })
  }
  const firstRequestedAt = Math.min(...operations.filter(isReturnOperation).map(({ requestedAt }) => requestedAt))
  const flagged = now - firstRequestedAt >= services.settings.flagAfterMs
  const to = { dueAt: nextAttemptAt(services.settings, leased, { now, reply }), flagged }
  return applyBackgroundTransition(services, { cause: 'return_pending', from: leased, to, operations: [resolved], outcome: reply.kind })
}

/** A refund that was definitely declined may be requested again, under a new requestId. */
function repeatReturn({ services, receipt }: DueReceipt, { kind, amountTiyin }: OperationRow): Promise<ReceiptRow | null> {
  const now = services.clock.now()
  const operation = newOperation(receipt, kind, amountTiyin, now)
  const to = { requestId: operation.requestId, dueAt: now }
  return applyBackgroundTransition(services, {
    cause: 'return_repeated',
    from: receipt,
    to,
    newOperations: [operation],
    outcome: 'repeated',
  })
}

function isReturnOperation({ kind }: OperationRow): boolean {
  return kind === 'refund' || kind === 'cancelHold' || kind === 'reverse'
}
