import { errorEntry, type ErrorName } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import type { DeclineReason } from '../network/network.ts'
import type { OperationRow, ReceiptRow } from '../store/store.ts'

import type { ReceiptFigures } from './figures.ts'

/** What a receipt becomes; nothing here asks anybody. The version and MAC are made by `changeReceipt`. */
export type Patch = Partial<ReceiptRow>

export interface Approved {
  readonly networkRef: string
  readonly now: number
  /** Whether the merchant's endpoint is told before it counts as paid. */
  readonly isClosing: boolean
}

/** Debited, or held until `now` plus the life of a hold. */
export function afterApproval(figures: ReceiptFigures, receipt: ReceiptRow, { networkRef, now, isClosing }: Approved): Patch {
  const taken = { takenTiyin: receipt.amountTiyin, networkRef, payTime: now, unknownSince: 0 }
  if (receipt.state === receiptStates.holding) return { ...taken, state: receiptStates.held, dueAt: now + figures.holdLifeMs }
  if (isClosing) return { ...taken, state: receiptStates.closing, dueAt: now + figures.leaseMs }
  return { ...taken, state: receiptStates.paid, dueAt: null }
}

/** Nothing was taken: the receipt can be paid again, with another card too, for what is left of its life. */
export function afterRefusal(figures: ReceiptFigures, receipt: ReceiptRow, refusal: ErrorName, about?: object): Patch {
  return {
    state: receiptStates.created,
    error: keptError(refusal, about),
    ...{ cardId: '', maskedPan: '', cardExpiry: '', oneTime: false, customer: null, networkRef: '' },
    ...{ unknownSince: 0, flagged: false, dueAt: unpaidEndsAt(figures, receipt) },
  }
}

/** Why a payment came to nothing, as the receipt tells it. */
export function keptError(refusal: ErrorName, about?: object): string {
  const { code, reason, text } = errorEntry(refusal)
  return JSON.stringify({ code, message: text.en, data: about, reason })
}

export function afterSilence(figures: ReceiptFigures, now: number): Patch {
  return { state: receiptStates.unknown, unknownSince: now, dueAt: now + figures.backoffFirstMs }
}

/** The money goes back by `operation`, which the background asks for at once. */
export function asReturning(operation: OperationRow, now: number): Patch {
  return { state: receiptStates.returning, requestId: operation.requestId, unknownSince: 0, flagged: false, dueAt: now }
}

/** Debited, and the merchant's endpoint knows it. */
export function afterClosing(): Patch {
  return { state: receiptStates.paid, flagged: false, dueAt: null }
}

export function asCancelled(now: number): Patch {
  return { state: receiptStates.cancelled, cancelTime: now, flagged: false, dueAt: null }
}

/** Held money, or a part of it, was taken. */
export function afterCapture(takenTiyin: number, now: number): Patch {
  return { state: receiptStates.paid, takenTiyin, payTime: now, flagged: false, dueAt: null }
}

/** When nobody has paid it by then, it is cancelled. The background comes later than the end; the end counts. */
export function unpaidEndsAt(figures: ReceiptFigures, { createdAt }: ReceiptRow): number {
  return createdAt + figures.unpaidLifeMs
}

export function holdEndsAt(figures: ReceiptFigures, { payTime }: ReceiptRow): number {
  return payTime + figures.holdLifeMs
}

/** How long the background waits after its `looks`th look. */
export function backoffMs({ backoffFirstMs, backoffMostMs }: ReceiptFigures, looks: number): number {
  return Math.min(backoffMostMs, backoffFirstMs * 2 ** Math.min(looks, backoffDoublingsMax))
}

/** What the wire says of a network's reason. */
export const refusalOf = Object.freeze({
  smsNotConnected: 'paySmsNotConnected',
  cardExpired: 'payCardExpired',
  cardBlocked: 'payCardBlocked',
  systemError: 'paySystemError',
  networkTimeout: 'payNetworkTimeout',
  insufficientFunds: 'insufficientFunds',
  declined: 'declined',
  debitFailed: 'debitFailed',
} as const satisfies Record<DeclineReason, ErrorName>)

export function isDeclineReason(reason: string): reason is DeclineReason {
  return Object.hasOwn(refusalOf, reason)
}

const backoffDoublingsMax = 30
