import type { Expiry } from '@tessera/contract/card'

import type { RefusalReason } from '../network/network.ts'

/** Where a scenario can strike. Before its step, and after it, the card behaves well; but a scenario card never pays. */
export const steps = Object.freeze(['create', 'get_verify_code', 'verify', 'pay'] as const)
export type Step = (typeof steps)[number]

export interface Scenario {
  /** As settings name it: one step a merchant and scenario. */
  readonly name: string
  readonly reason: RefusalReason
  /** How long the network thinks before it says so. */
  readonly delayMs: number
}

export interface TestCard {
  /** Public, like all of this table: these numbers are issued with the test environment and belong to nobody. */
  readonly number: string
  readonly meaning: string
  /** Whether the network sends the code itself, or names the phone and we send it. */
  readonly sentBy: 'network' | 'us'
  /** Null: everything succeeds. */
  readonly scenario: Scenario | null
}

/** The seven test cards (wire §8). */
export const testCards: readonly TestCard[] = Object.freeze([
  { number: '8600069195406311', meaning: 'success; the network sends the code', sentBy: 'network', scenario: null },
  { number: '8600495473316478', meaning: 'success; we send the code, to the SMS inbox', sentBy: 'us', scenario: null },
  {
    number: '8600060921090842',
    meaning: 'SMS-info is not connected',
    sentBy: 'network',
    scenario: strike('sms_not_connected', 'smsNotConnected'),
  },
  { number: '3333336415804657', meaning: 'the card has expired', sentBy: 'network', scenario: strike('card_expired', 'cardExpired') },
  { number: '4444445987459073', meaning: 'the card is blocked', sentBy: 'network', scenario: strike('card_blocked', 'cardBlocked') },
  { number: '8600143417770323', meaning: 'unknown system error', sentBy: 'network', scenario: strike('system_error', 'systemError') },
  { number: '8600134301849596', meaning: '10 s, then an error', sentBy: 'network', scenario: strike('network_timeout', 'timeout', 10_000) },
])

/** All test cards are good through March 2099; with another expiry they are cards like any other. */
export const testExpiry = '0399' as Expiry
/** Where a scenario strikes unless the merchant has set another step. */
export const stepByDefault: Step = 'get_verify_code'
/** The phone of all test cards; it rings nowhere. */
export const testPhone = '998901234566'

function strike(name: string, reason: RefusalReason, delayMs = 0): Scenario {
  return Object.freeze({ name, reason, delayMs })
}
