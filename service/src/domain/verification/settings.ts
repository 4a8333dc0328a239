import type { Config } from '../../ops/config/config.ts'
import type { SendClaim } from '../../store/send-limits.ts'

import { sendWindowsOf } from './daily-caps.ts'

/** Lifetime and limits of SMS codes. */
export interface VerificationSettings {
  /** At most ten minutes (ASVS 5.0 V6.5.5). */
  readonly otpLifetimeMs: number
  /** Most attempts per code. */
  readonly otpAttemptsMax: number
  /** Until another code may be requested for one card. */
  readonly resendWaitMs: number
  /** Whether the caps per PAN, phone and day are counted. */
  readonly limits: boolean
  /** Most attempts per PAN and day, over all its tokens and codes. */
  readonly cardDayAttemptsMax: number
  /** Limits of codes to one PAN and to one phone. */
  readonly sendWindows: SendClaim['windows']
  /** Most wrong codes per hour, over all cards. Beyond it no code is checked. */
  readonly maxWrongCodesPerHour: number
  readonly networkTimeoutMs: number
  readonly smsTimeoutMs: number
  /** The sender's name in the message. */
  readonly providerName: string
  /** Host of the card form, for the last line of the message (WebOTP); null without one. */
  readonly formHost: string | null
}

export function verificationSettings(config: Config, areLimitsOn: boolean): VerificationSettings {
  return {
    otpLifetimeMs: config.otpLifetimeSeconds * 1000,
    otpAttemptsMax: config.otpAttemptsMax,
    resendWaitMs: config.resendWaitSeconds * 1000,
    limits: areLimitsOn,
    cardDayAttemptsMax: config.cardDayAttemptsMax,
    sendWindows: sendWindowsOf({ tenMinutesMax: config.sendTenMinutesMax, dayMax: config.sendDayMax }),
    maxWrongCodesPerHour: config.wrongCodesHourMax,
    networkTimeoutMs: config.networkTimeoutMs,
    smsTimeoutMs: config.smsTimeoutMs,
    providerName: config.providerName ?? 'Tessera',
    formHost: config.formOrigin === null ? null : new URL(config.formOrigin).host,
  }
}
