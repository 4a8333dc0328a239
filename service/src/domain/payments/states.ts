import { type ReceiptState, receiptStates } from '@tessera/contract/receipt'

import type { ReceiptEventType } from './transition-records.ts'

const { created, checking, debiting, awaitingMerchant, paid, held, holding, unknown, returning, cancelled } = receiptStates

/** What a state means and what happens next. Printed to docs/reference/payment-states.md, shown by `tessera receipts show`. */
export interface ReceiptStateInfo {
  readonly name: string
  readonly meaning: string
  readonly next: string
}

export const receiptStateInfo: Readonly<Record<ReceiptState, ReceiptStateInfo>> = Object.freeze({
  [created]: {
    name: 'created',
    meaning: 'Waiting to be paid.',
    next: 'It is paid by receipts.pay, cancelled by receipts.cancel, or cancelled by the service after 12 hours.',
  },
  [checking]: {
    name: 'checking',
    meaning: "The merchant's endpoint is being called to check the payment. No money has moved.",
    next: 'The card network is called, or the receipt returns to created. A lost call is abandoned when its lease ends: after 30 seconds, or twice networkTimeoutMs if that is longer.',
  },
  [debiting]: {
    name: 'debiting',
    meaning: 'The card network is being called to debit the card.',
    next: 'paid, created when declined, or unknown. A lost call becomes unknown when its lease ends: after 30 seconds, or twice networkTimeoutMs if that is longer.',
  },
  [awaitingMerchant]: {
    name: 'awaiting_merchant',
    meaning: "The card was debited, and the merchant's endpoint has not confirmed the payment yet.",
    next: 'The service calls the endpoint again for 12 hours: paid when it confirms; the money is returned if it refuses or does not respond.',
  },
  [paid]: {
    name: 'paid',
    meaning: 'The card was debited.',
    next: 'Nothing, unless receipts.cancel refunds it.',
  },
  [held]: {
    name: 'held',
    meaning: 'The amount is held on the card.',
    next: 'receipts.confirm_hold captures it, receipts.cancel releases it; after 7 days the service releases it.',
  },
  [holding]: {
    name: 'holding',
    meaning: 'The card network is being called to hold the amount.',
    next: 'held, created when declined, or unknown. A lost call becomes unknown when its lease ends: after 30 seconds, or twice networkTimeoutMs if that is longer.',
  },
  [unknown]: {
    name: 'unknown',
    meaning: 'The card network did not report whether the card was debited.',
    next: 'The service queries the network again: after 1, 2, 4 … seconds, at last every 10 minutes, and at once when the network responds again after a failure. If debited, the money is returned; if not, the receipt returns to created. After 24 hours it is flagged, and an operator may resolve it by the network’s statement: tessera receipts resolve.',
  },
  [returning]: {
    name: 'returning',
    meaning: 'The money is being returned to the card.',
    next: 'The service calls the network until it confirms, at once when it responds again after a failure; then cancelled.',
  },
  [cancelled]: {
    name: 'cancelled',
    meaning: 'Not paid, or the money was returned.',
    next: 'Nothing for the money. The merchant’s endpoint may still have to be notified.',
  },
})

/** States that still need an action of the caller, the network, the merchant or the service. Counted by gauges. `created` is not one: it expires after 12 hours. */
export const openReceiptStates = Object.freeze([checking, debiting, awaitingMerchant, held, holding, unknown, returning] as const)

/** Whether a payment of the receipt is in progress, so that no other may start. */
export function isPaymentInProgress(state: ReceiptState): boolean {
  return state === checking || state === debiting || state === awaitingMerchant || state === holding || state === unknown
}

/** A row of the table of transitions. `same`: the state stays, and other columns change. */
export interface TransitionRule {
  readonly from: readonly ReceiptState[]
  readonly to: readonly ReceiptState[] | 'same'
  /** The audit entry's action. */
  readonly action: string
  /** The webhook event; null: none. */
  readonly event: ReceiptEventType | null
  readonly meaning: string
}

const any = Object.values(receiptStates)

/**
 * Every allowed change of a receipt, by its cause: states, audit action, webhook event. `applyTransition` refuses any
 * other. Printed to docs/reference/payment-states.md; the log line `receipt_transition` has the cause.
 */
// prettier-ignore
export const receiptTransitions = Object.freeze({
  // Payment.
  payment_started:      { from: [created],                     to: [checking, debiting, holding], action: 'receipt.operation_started',    event: null,                meaning: 'receipts.pay was called: the intention is stored before any external call.' },
  card_gone:            { from: [checking, debiting, holding], to: [created],                     action: 'receipt.payment_failed',       event: 'receipt.failed',    meaning: 'Another payment used the one-time card; nothing was debited.' },
  merchant_agreed:      { from: [checking],                    to: [debiting, holding],           action: 'receipt.merchant_agreed',      event: null,                meaning: 'The merchant’s endpoint accepts the payment (CheckPerformTransaction).' },
  merchant_refused:     { from: [checking],                    to: [created],                     action: 'receipt.payment_failed',       event: 'receipt.failed',    meaning: 'The merchant’s endpoint refused the payment or did not respond; nothing was debited.' },
  debit_approved:       { from: [debiting],                    to: [paid],                        action: 'receipt.paid',                 event: 'receipt.paid',      meaning: 'The network debited the card.' },
  hold_approved:        { from: [holding],                     to: [held],                        action: 'receipt.held',                 event: 'receipt.held',      meaning: 'The network holds the amount.' },
  declined:             { from: [debiting, holding],           to: [created],                     action: 'receipt.payment_failed',       event: 'receipt.failed',    meaning: 'The network declined; nothing was debited.' },
  no_reply:             { from: [debiting, holding],           to: [unknown],                     action: 'receipt.unknown',              event: null,                meaning: 'The network did not reply in time, or its adapter failed.' },
  call_lost:            { from: [debiting, holding],           to: [unknown],                     action: 'receipt.unknown',              event: null,                meaning: 'The process that called the network stopped before it stored the reply.' },
  // The merchant's endpoint, after the debit.
  awaiting_merchant:    { from: [debiting],                    to: [awaitingMerchant],                     action: 'receipt.awaiting_merchant',    event: null,                meaning: 'The network debited the card; the merchant’s endpoint is called next (PerformTransaction).' },
  merchant_silent:      { from: [awaitingMerchant],                     to: 'same',                        action: 'receipt.awaiting_merchant',    event: null,                meaning: 'The merchant’s endpoint did not respond; it is called again.' },
  merchant_performed:   { from: [awaitingMerchant],                     to: [paid],                        action: 'receipt.paid',                 event: 'receipt.paid',      meaning: 'The merchant’s endpoint confirmed the payment.' },
  merchant_rejected:    { from: [awaitingMerchant],                     to: [returning],                   action: 'receipt.return_pending',       event: 'receipt.failed',    meaning: 'The merchant’s endpoint refused the debited payment, or did not respond for 12 hours: it is refunded.' },
  // Capture.
  capture_started:      { from: [held],                        to: 'same',                        action: 'receipt.operation_started',    event: null,                meaning: 'receipts.confirm_hold was called.' },
  captured:             { from: [held],                        to: [paid],                        action: 'receipt.paid',                 event: 'receipt.paid',      meaning: 'The network captured the held amount or a part of it.' },
  capture_declined:     { from: [held],                        to: 'same',                        action: 'receipt.capture_declined',     event: null,                meaning: 'The network declined the capture; the amount stays held.' },
  capture_unknown:      { from: [held],                        to: 'same',                        action: 'receipt.unknown',              event: null,                meaning: 'The network did not report the outcome of the capture; it is queried again.' },
  // Cancellation and refund.
  cancelled_unpaid:     { from: [created],                     to: [cancelled],                   action: 'receipt.cancelled',            event: 'receipt.cancelled', meaning: 'receipts.cancel of an unpaid receipt.' },
  expired:              { from: [created],                     to: [cancelled],                   action: 'receipt.cancelled',            event: 'receipt.cancelled', meaning: 'Not paid within 12 hours.' },
  cancel_requested:     { from: [paid, held],                  to: [returning],                   action: 'receipt.cancelled',            event: null,                meaning: 'receipts.cancel: a refund of what was paid, or the release of a hold.' },
  hold_expired:         { from: [held],                        to: [returning],                   action: 'receipt.return_pending',       event: null,                meaning: 'The hold ended after 7 days: it is released.' },
  return_pending:       { from: [returning],                   to: 'same',                        action: 'receipt.return_pending',       event: null,                meaning: 'The network has not confirmed the refund, release or reversal; it is called again.' },
  return_repeated:      { from: [returning],                   to: 'same',                        action: 'receipt.return_pending',       event: null,                meaning: 'The network declined the refund, release or reversal; a new one is requested.' },
  returned:             { from: [returning],                   to: [cancelled],                   action: 'receipt.cancelled',            event: 'receipt.cancelled', meaning: 'The network confirmed the return of the money.' },
  merchant_cancel_sent: { from: [cancelled],                   to: 'same',                        action: 'receipt.merchant_cancel_sent', event: null,                meaning: 'The merchant’s endpoint was notified of the return (CancelTransaction).' },
  // Reconciliation.
  still_unknown:        { from: [unknown],                     to: 'same',                        action: 'receipt.unknown',              event: null,                meaning: 'The outcome is still unknown; the network is queried again. After 24 hours the receipt is flagged.' },
  reversal_started:     { from: [unknown],                     to: 'same',                        action: 'receipt.unknown',              event: null,                meaning: 'The network has never seen the call, which may still arrive: it is reversed first.' },
  found_declined:       { from: [unknown],                     to: [created],                     action: 'receipt.payment_failed',       event: 'receipt.failed',    meaning: 'The network reports that it declined.' },
  reversed:             { from: [unknown],                     to: [created],                     action: 'receipt.payment_failed',       event: 'receipt.failed',    meaning: 'The network confirmed the reversal of a call that it had never seen.' },
  found_approved:       { from: [unknown],                     to: [returning],                   action: 'receipt.return_pending',       event: null,                meaning: 'The network reports that it approved. A receipt reported as unknown must not become paid later, so the money is returned.' },
  resolved_not_paid:    { from: [unknown],                     to: [created],                     action: 'receipt.resolved',             event: 'receipt.failed',    meaning: 'An operator recorded that the network’s statement shows no debit.' },
  resolved_paid:        { from: [unknown],                     to: [returning],                   action: 'receipt.resolved',             event: null,                meaning: 'An operator recorded that the network’s statement shows the debit: the money is returned.' },
  merchant_informed:    { from: [cancelled],                   to: 'same',                        action: 'receipt.resolved',             event: null,                meaning: 'An operator recorded that the merchant knows of the return, which its endpoint did not confirm: the receipt is no longer flagged.' },
  // The receipt itself.
  lease_acquired:       { from: any,                           to: 'same',                        action: 'receipt.reconcile_attempted',  event: null,                meaning: 'A process reserves a due receipt, so that no other process handles it.' },
  operation_refused:    { from: any,                           to: 'same',                        action: 'receipt.flagged',              event: null,                meaning: 'A row that belongs to the due receipt was not written by this service: nothing is decided, and it is tried again later.' },
  nothing_due:          { from: [paid, cancelled],             to: 'same',                        action: 'receipt.reconcile_attempted',  event: null,                meaning: 'Nothing remains to be done.' },
  clock_corrected:      { from: any,                           to: 'same',                        action: 'receipt.reconcile_attempted',  event: null,                meaning: 'A clock that was ahead had set its next time; an operator confirmed the clock, and it is due after a lease.' },
  sms_sent:             { from: any,                           to: 'same',                        action: 'receipt.sent',                 event: null,                meaning: 'receipts.send.' },
  fiscal_data_set:      { from: [paid],                        to: 'same',                        action: 'receipt.fiscal_data_set',      event: null,                meaning: 'receipts.set_fiscal_data.' },
} as const satisfies Readonly<Record<string, TransitionRule>>)

export type TransitionCause = keyof typeof receiptTransitions

/** Whether any cause moves a receipt between two states. Staying in a state is always allowed. */
export function isAllowedTransition(from: ReceiptState, to: ReceiptState): boolean {
  return from === to || Object.values<TransitionRule>(receiptTransitions).some((rule) => allows(rule, from, to))
}

/** Throws when the table does not have the transition: a programming error, which ends the request and changes nothing. */
export function assertTransition(cause: TransitionCause, from: ReceiptState, to: ReceiptState): void {
  if (!allows(receiptTransitions[cause], from, to)) throw new Error(`${cause} does not move a receipt from ${from} to ${to}`)
}

function allows(rule: TransitionRule, from: ReceiptState, to: ReceiptState): boolean {
  return rule.from.includes(from) && (rule.to === 'same' ? from === to : rule.to.includes(to))
}
