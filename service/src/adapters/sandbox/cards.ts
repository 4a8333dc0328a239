import type { Expiry } from '@tessera/contract/card'

import type { NetworkRefusalReason } from '../network/network.ts'
import type { Codes } from '../sms/codes.ts'

/** The steps at which a scenario can fail. The card succeeds at the other steps, except that a scenario card never pays. */
export const steps = Object.freeze(['create', 'get_verify_code', 'verify', 'pay'] as const)
export type ScenarioStep = (typeof steps)[number]

export interface Scenario {
  /** The name in the settings, which store one step per merchant and scenario. */
  readonly name: string
  readonly reason: NetworkRefusalReason
  /** Delay before the network replies. */
  readonly delayMs: number
}

export interface TestCard {
  /** Public, like this whole table: the numbers exist only in the test environment. */
  readonly number: string
  readonly meaning: string
  /** `network`: the network sends the code. `us`: it returns the phone and we send the code. */
  readonly sentBy: 'network' | 'us'
  /** Null: everything succeeds. */
  readonly scenario: Scenario | null
}

/** The seven test cards (docs/reference/wire.md#test-environment). */
export const testCards: readonly TestCard[] = Object.freeze([
  { number: '8600069195406311', meaning: 'success; the network sends the code', sentBy: 'network', scenario: null },
  { number: '8600495473316478', meaning: 'success; we send the code, to the SMS inbox', sentBy: 'us', scenario: null },
  {
    number: '8600060921090842',
    meaning: 'SMS-info is not connected',
    sentBy: 'network',
    scenario: scenario('sms_not_connected', 'smsNotConnected'),
  },
  { number: '3333336415804657', meaning: 'the card has expired', sentBy: 'network', scenario: scenario('card_expired', 'cardExpired') },
  { number: '4444445987459073', meaning: 'the card is blocked', sentBy: 'network', scenario: scenario('card_blocked', 'cardBlocked') },
  { number: '8600143417770323', meaning: 'unknown system error', sentBy: 'network', scenario: scenario('system_error', 'systemError') },
  {
    number: '8600134301849596',
    meaning: '10 s, then an error',
    sentBy: 'network',
    scenario: scenario('network_timeout', 'timeout', 10_000),
  },
])

/** All test cards expire in March 2099. With another expiry the number is an unknown card. */
export const testExpiry = '0399' as Expiry
/** The failing step unless the merchant has set another. */
export const defaultStep: ScenarioStep = 'get_verify_code'
/** The phone of all test cards; messages to it are not sent. */
export const testPhone = '998901234566'
/** The one SMS code of the test environment, for every test card and scenario. Intentionally public. */
export const sandboxCode = '666666'
export const sandboxCodes: Codes = Object.freeze({ draw: () => sandboxCode, fixed: sandboxCode })

function scenario(name: string, reason: NetworkRefusalReason, delayMs = 0): Scenario {
  return Object.freeze({ name, reason, delayMs })
}
