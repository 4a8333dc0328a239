import type { Config } from '../../ops/config/config.ts'

import { makeVerificationPolicies, type VerificationPolicies } from './policy.ts'

/** Policies and limits of SMS codes. */
export interface VerificationSettings {
  /** Length, lifetime and attempts of codes, and what follows wrong ones, for the cards of each network. */
  readonly policies: VerificationPolicies
  /** Whether the caps per PAN, phone and day are counted. */
  readonly limits: boolean
  /** Most attempts per PAN and day, over all its tokens and codes. */
  readonly cardDayAttemptsMax: number
  /** Most wrong codes per hour, over all cards. Beyond it no code is checked. */
  readonly maxWrongCodesPerHour: number
  readonly networkTimeoutMs: number
  readonly smsTimeoutMs: number
  readonly holderTimeoutMs: number
  /** The sender's name in the message. */
  readonly providerName: string
  /** Host of the card form, for the last line of the message (WebOTP); null without one. */
  readonly formHost: string | null
}

export function verificationSettings(config: Config, areLimitsOn: boolean): VerificationSettings {
  return {
    policies: makeVerificationPolicies(config),
    limits: areLimitsOn,
    cardDayAttemptsMax: config.cardDayAttemptsMax,
    maxWrongCodesPerHour: config.wrongCodesHourMax,
    networkTimeoutMs: config.networkTimeoutMs,
    smsTimeoutMs: config.smsTimeoutMs,
    holderTimeoutMs: config.holderTimeoutMs,
    providerName: config.providerName ?? 'Tessera',
    formHost: config.formOrigin === null ? null : new URL(config.formOrigin).host,
  }
}
