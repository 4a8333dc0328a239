import { errorEntry, type ErrorName } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import type { DeclineReason } from '../../adapters/network/network.ts'
import type { OperationRow } from '../../store/operations.ts'
import type { ReceiptRow } from '../../store/receipts.ts'

import type { PaymentSettings } from './settings.ts'

/** The columns that a transition changes. `applyTransition` sets version and MAC. */
export type ReceiptPatch = Partial<ReceiptRow>

export interface ApprovalDetails {
  readonly networkRef: string
  readonly now: number
  /** Whether the merchant's endpoint has to confirm before the receipt is paid. */
  readonly isAwaitingMerchant: boolean
}

/** Debited, or held until the hold ends. */
export function updateAfterApproval(
  settings: PaymentSettings,
  receipt: ReceiptRow,
  { networkRef, now, isAwaitingMerchant }: ApprovalDetails,
): ReceiptPatch {
  const taken = { takenTiyin: receipt.amountTiyin, networkRef, payTime: now, unknownSince: 0 }
  if (receipt.state === receiptStates.holding) return { ...taken, state: receiptStates.held, dueAt: now + settings.holdLifetimeMs }
  if (isAwaitingMerchant) return { ...taken, state: receiptStates.awaitingMerchant, dueAt: now + settings.leaseMs }
  return { ...taken, state: receiptStates.paid, dueAt: null }
}

/** Nothing was debited: until it expires the receipt can be paid again, also with another card. */
export function updateAfterRefusal(settings: PaymentSettings, receipt: ReceiptRow, error: ErrorName, data?: object): ReceiptPatch {
  return {
    state: receiptStates.created,
    error: serializePaymentError(error, data),
    cardId: '',
    maskedPan: '',
    cardExpiry: '',
    oneTime: false,
    customer: null,
    networkRef: '',
    unknownSince: 0,
    flagged: false,
    dueAt: unpaidEndsAt(settings, receipt),
  }
}

/** The JSON of `error` in a receipt: why its last payment failed. */
export function serializePaymentError(error: ErrorName, data?: object): string {
  const { code, reason, text } = errorEntry(error)
  return JSON.stringify({ code, message: text.en, data, reason })
}

export function updateAfterUnknown(settings: PaymentSettings, now: number): ReceiptPatch {
  return { state: receiptStates.unknown, unknownSince: now, dueAt: now + settings.initialBackoffMs }
}

/** The money is returned by `operation`, which the worker requests at once. */
export function updateToReturning(operation: OperationRow, now: number): ReceiptPatch {
  return { state: receiptStates.returning, requestId: operation.requestId, unknownSince: 0, flagged: false, dueAt: now }
}

/** The merchant's endpoint has confirmed the debited payment. */
export function updateAfterMerchantPerform(): ReceiptPatch {
  return { state: receiptStates.paid, flagged: false, dueAt: null }
}

export function updateToCancelled(now: number): ReceiptPatch {
  return { state: receiptStates.cancelled, cancelTime: now, flagged: false, dueAt: null }
}

/** The held amount, or a part of it, was captured. */
export function updateAfterCapture(takenTiyin: number, now: number): ReceiptPatch {
  return { state: receiptStates.paid, takenTiyin, payTime: now, flagged: false, dueAt: null }
}

/** A one-time card is locked for the payment that uses it. */
export interface CardLockChange {
  readonly cardId: string
  readonly move: 'take' | 'release'
}

/** Releases the lock of a one-time card for another payment; null if the card was not locked. */
export function releaseCardLock({ oneTime, cardId }: ReceiptRow): CardLockChange | null {
  return oneTime ? { cardId, move: 'release' } : null
}

/** When an unpaid receipt expires, even if the worker has not cancelled it yet. */
export function unpaidEndsAt(settings: PaymentSettings, { createdAt }: ReceiptRow): number {
  return createdAt + settings.unpaidLifetimeMs
}

export function holdEndsAt(settings: PaymentSettings, { payTime }: ReceiptRow): number {
  return payTime + settings.holdLifetimeMs
}

/** How long the worker waits after this many attempts. */
export function backoffMs(
  { initialBackoffMs, maxBackoffMs }: Pick<PaymentSettings, 'initialBackoffMs' | 'maxBackoffMs'>,
  attempts: number,
): number {
  return Math.min(maxBackoffMs, initialBackoffMs * 2 ** Math.min(attempts, maxBackoffDoublings))
}

/** The API error for each decline reason of the network. */
export const errorByDeclineReason = Object.freeze({
  smsNotConnected: 'paySmsNotConnected',
  cardExpired: 'payCardExpired',
  cardBlocked: 'payCardBlocked',
  systemError: 'paySystemError',
  networkTimeout: 'payNetworkTimeout',
  insufficientFunds: 'insufficientFunds',
  declined: 'declined',
  debitFailed: 'debitFailed',
  cardLimit: 'cardLimit',
} as const satisfies Record<DeclineReason, ErrorName>)

export function isDeclineReason(reason: string): reason is DeclineReason {
  return Object.hasOwn(errorByDeclineReason, reason)
}

/** When the worker asks again: after its wait, or when the network's reply decides, if that is sooner. */
export function nextAttemptAt(
  settings: PaymentSettings,
  { reconcileAttempts }: Pick<ReceiptRow, 'reconcileAttempts'>,
  { now, reply }: { readonly now: number; readonly reply: { readonly kind: string; readonly decidesAt?: number } },
): number {
  const byBackoff = now + backoffMs(settings, reconcileAttempts)
  const { decidesAt } = reply
  return decidesAt !== undefined && decidesAt >= now ? Math.min(byBackoff, Math.ceil(decidesAt) + 1) : byBackoff
}

const maxBackoffDoublings = 30
