/**
 * What can be made to go wrong at one method, for one merchant, whatever the card. The words are those of the scenarios' store: the method is
 * the scenario, the fault its step. Where a method has none, what is set for all movements of money (`network`) holds.
 */
export const lateSecondsMax = 30

const lates = Array.from({ length: lateSecondsMax }, (_, at) => `late_${String(at + 1)}`)
const refusals = ['sms_not_connected', 'card_expired', 'card_blocked', 'system_error'] as const
const lost = ['lose_request', 'lose_answer'] as const

export const faultByDefault = 'none'

/** Of each method that asks the network, and of the gateway of messages. */
export const methodFaults: Readonly<Record<FaultyMethod, readonly string[]>> = Object.freeze({
  'cards.get_verify_code': [faultByDefault, ...lates, 'lose_answer', ...refusals],
  'cards.verify': [faultByDefault, ...lates, 'lose_answer', ...refusals],
  'receipts.pay': [faultByDefault, ...lates, 'insufficient_funds', 'declined', 'debit_failed', ...lost, 'approve_late', 'answer_twice'],
  'receipts.confirm_hold': [faultByDefault, ...lates, 'declined', ...lost, 'answer_twice'],
  'receipts.cancel': [faultByDefault, ...lates, 'declined', ...lost, 'answer_twice'],
  sms: [faultByDefault, 'rejected', 'lose_answer'],
})

export type FaultyMethod = 'cards.get_verify_code' | 'cards.verify' | 'receipts.pay' | 'receipts.confirm_hold' | 'receipts.cancel' | 'sms'

/** For how long a fault holds the answer up, in milliseconds; 0: not at all. */
export function lateMsOf(fault: string): number {
  const [, seconds] = /^late_([0-9]{1,2})$/.exec(fault) ?? []
  return seconds === undefined ? 0 : Number(seconds) * 1000
}

/** Longer than the service waits for anybody. */
export const silenceMs = 60_000

/** When an approval comes that comes late: longer than the service waits for a network (12 s). */
export const lateApprovalMs = 15_000
