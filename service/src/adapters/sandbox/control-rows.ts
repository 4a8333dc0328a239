import type { ErrorName } from '@tessera/contract/errors'

/** A test card and its scenario. */
export interface ControlledCard {
  readonly number: string
  readonly sentBy: 'network' | 'us'
  readonly scenario: { readonly name: string; readonly reason: string } | null
}

/** A scenario or fault with its possible steps. */
export interface ControlRow {
  readonly scenario: string
  readonly steps: readonly string[]
  readonly defaultStep: string
}

/** The settings available in the sandbox. */
export interface AvailableControls {
  readonly cards: readonly ControlledCard[]
  /** The steps of card scenarios. */
  readonly steps: readonly string[]
  readonly defaultStep: string
  readonly faults: readonly ControlRow[]
  readonly expire: string
  readonly code: string
}

/** All rows with a settable step: card scenarios first, then faults. */
export function listControls({ cards, steps, defaultStep, faults }: AvailableControls): ControlRow[] {
  const ofCards = cards.flatMap(({ scenario }) => (scenario === null ? [] : [{ scenario: scenario.name, steps, defaultStep }]))
  return [...ofCards, ...faults]
}

/** The errors a scenario or fault causes before and at a payment; null: none. */
export const errorsByStep: Readonly<Record<string, { readonly before: ErrorName | null; readonly atPay: ErrorName | null }>> =
  Object.freeze({
    sms_not_connected: { before: 'smsNotConnected', atPay: 'paySmsNotConnected' },
    card_expired: { before: 'cardExpired', atPay: 'payCardExpired' },
    card_blocked: { before: 'cardBlocked', atPay: 'payCardBlocked' },
    system_error: { before: 'systemError', atPay: 'paySystemError' },
    network_timeout: { before: 'networkTimeout', atPay: 'payNetworkTimeout' },
    insufficient_funds: { before: null, atPay: 'insufficientFunds' },
    card_limit: { before: null, atPay: 'cardLimit' },
    declined: { before: null, atPay: 'declined' },
    debit_failed: { before: null, atPay: 'debitFailed' },
    lose_request: { before: null, atPay: 'networkTimeout' },
    lose_answer: { before: 'networkTimeout', atPay: 'networkTimeout' },
    approve_late: { before: null, atPay: 'networkTimeout' },
    rejected: { before: 'smsNotSent', atPay: null },
    holder_mismatch: { before: 'holderMismatch', atPay: null },
    // The verification policy decides.
    holder_unknown: { before: null, atPay: null },
  })
