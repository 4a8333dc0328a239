/**
 * Faults that can be injected at one method, for one merchant and any card. In the scenario table the method is the scenario and the fault is
 * its step. A method without a fault uses the one set for all payment operations (`network`).
 */
export const maxDelaySeconds = 30

const delays = Array.from({ length: maxDelaySeconds }, (_, at) => `late_${String(at + 1)}`)
const refusals = ['sms_not_connected', 'card_expired', 'card_blocked', 'system_error'] as const
const lost = ['lose_request', 'lose_answer'] as const

export const defaultMethodFault = 'none'

/** The faults of each method that calls the network, of the SMS gateway, and of the service that says whether a phone is the cardholder's. */
export const methodFaults: Readonly<Record<FaultyMethod, readonly string[]>> = Object.freeze({
  'cards.get_verify_code': [defaultMethodFault, ...delays, 'lose_answer', ...refusals, 'holder_mismatch', 'holder_unknown'],
  'cards.verify': [defaultMethodFault, ...delays, 'lose_answer', ...refusals],
  'receipts.pay': [
    defaultMethodFault,
    ...delays,
    'insufficient_funds',
    'card_limit',
    'declined',
    'debit_failed',
    ...lost,
    'approve_late',
    'answer_twice',
  ],
  'receipts.confirm_hold': [defaultMethodFault, ...delays, 'declined', ...lost, 'answer_twice'],
  'receipts.cancel': [defaultMethodFault, ...delays, 'declined', ...lost, 'answer_twice'],
  sms: [defaultMethodFault, 'rejected', 'lose_answer'],
  holder: [defaultMethodFault, 'holder_mismatch', 'holder_unknown', 'rejected'],
})

export type FaultyMethod =
  'cards.get_verify_code' | 'cards.verify' | 'receipts.pay' | 'receipts.confirm_hold' | 'receipts.cancel' | 'sms' | 'holder'

/** The reply delay of a fault, milliseconds; 0 for none. */
export function delayMsOf(fault: string): number {
  const [, seconds] = /^late_([0-9]{1,2})$/.exec(fault) ?? []
  return seconds === undefined ? 0 : Number(seconds) * 1000
}

/** Longer than any timeout of the service. */
export const silenceMs = 60_000

/** Delay of a late approval; longer than the network timeout of the service (12 s). */
export const lateApprovalMs = 15_000
