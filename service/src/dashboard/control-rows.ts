import type { ErrorName } from '@tessera/contract/errors'

/** A test card with what it rehearses. */
export interface ControlledCard {
  readonly number: string
  readonly sentBy: 'network' | 'us'
  readonly scenario: { readonly name: string; readonly reason: string } | null
}

/** Something that a step is set for. */
export interface ControlRow {
  readonly scenario: string
  readonly steps: readonly string[]
  readonly byDefault: string
}

/** What can be set in the sandbox, as its own tables say. */
export interface ControlFacts {
  readonly cards: readonly ControlledCard[]
  /** Of cards. */
  readonly steps: readonly string[]
  readonly stepByDefault: string
  readonly faults: readonly ControlRow[]
  readonly expire: string
  readonly code: string
}

/** Every row that a step can be set for: the scenarios of cards, then the faults. */
export function rowsOf({ cards, steps, stepByDefault, faults }: ControlFacts): ControlRow[] {
  const ofCards = cards.flatMap(({ scenario }) => (scenario === null ? [] : [{ scenario: scenario.name, steps, byDefault: stepByDefault }]))
  return [...ofCards, ...faults]
}

/** What the wire says of a scenario or a fault before a payment and at one; null: nothing is refused by it. */
export const errorsOf: Readonly<Record<string, { readonly before: ErrorName | null; readonly atPay: ErrorName | null }>> = Object.freeze({
  sms_not_connected: { before: 'smsNotConnected', atPay: 'paySmsNotConnected' },
  card_expired: { before: 'cardExpired', atPay: 'payCardExpired' },
  card_blocked: { before: 'cardBlocked', atPay: 'payCardBlocked' },
  system_error: { before: 'systemError', atPay: 'paySystemError' },
  network_timeout: { before: 'networkTimeout', atPay: 'payNetworkTimeout' },
  insufficient_funds: { before: null, atPay: 'insufficientFunds' },
  declined: { before: null, atPay: 'declined' },
  debit_failed: { before: null, atPay: 'debitFailed' },
  lose_request: { before: null, atPay: 'networkTimeout' },
  lose_answer: { before: 'networkTimeout', atPay: 'networkTimeout' },
  approve_late: { before: null, atPay: 'networkTimeout' },
  rejected: { before: 'smsNotSent', atPay: null },
})
