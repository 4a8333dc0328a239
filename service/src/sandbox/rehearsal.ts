import type { DeclineReason } from '../network/network.ts'

/** The scenario that strikes every card of a merchant when money moves; its steps are what the network then does. */
export const rehearsalScenario = 'network'

export const rehearsals = Object.freeze([
  'none',
  'insufficient_funds',
  'declined',
  'debit_failed',
  'lose_request',
  'lose_answer',
  'approve_late',
  'answer_twice',
] as const)
export type Rehearsal = (typeof rehearsals)[number]

export const rehearsalByDefault: Rehearsal = 'none'

/** The refusal that is rehearsed; null for a rehearsal of another kind. */
export function refusedBy(rehearsal: string): DeclineReason | null {
  return Object.hasOwn(refusals, rehearsal) ? refusals[rehearsal as keyof typeof refusals] : null
}

const refusals = Object.freeze({
  insufficient_funds: 'insufficientFunds',
  declined: 'declined',
  debit_failed: 'debitFailed',
} as const satisfies Partial<Record<Rehearsal, DeclineReason>>)
