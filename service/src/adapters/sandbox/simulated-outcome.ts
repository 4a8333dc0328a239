import type { DeclineReason } from '../network/network.ts'

/** The scenario that applies to every payment of a merchant. Its steps are the behaviors of the network. */
export const simulatedOutcomeScenario = 'network'

export const simulatedOutcomes = Object.freeze([
  'none',
  'insufficient_funds',
  'card_limit',
  'declined',
  'debit_failed',
  'lose_request',
  'lose_answer',
  'approve_late',
  'answer_twice',
] as const)
export type SimulatedOutcome = (typeof simulatedOutcomes)[number]

export const defaultSimulatedOutcome: SimulatedOutcome = 'none'

/** The decline reason of a simulated outcome; null when it is not a decline. */
export function declineReasonOf(simulated: string): DeclineReason | null {
  return Object.hasOwn(refusals, simulated) ? refusals[simulated as keyof typeof refusals] : null
}

const refusals = Object.freeze({
  insufficient_funds: 'insufficientFunds',
  card_limit: 'cardLimit',
  declined: 'declined',
  debit_failed: 'debitFailed',
} as const satisfies Partial<Record<SimulatedOutcome, DeclineReason>>)
