import type { SendClaim } from '../store/store.ts'

import { sendWindowsOf } from './limits.ts'

/** What a code may do and how often; each is a setting. Milliseconds where the name says so. */
export interface VerificationFigures {
  /** At most ten minutes (ASVS 5.0 V6.5.5). */
  readonly codeLifeMs: number
  /** Tries that one code takes. */
  readonly triesMax: number
  /** Until another code may be asked for one card. */
  readonly resendWaitMs: number
  /** Whether the caps per PAN, phone and day are counted; off in the test environment, where on rehearses them. */
  readonly limits: boolean
  /** Tries that one PAN takes in a day, over all its tokens and codes. */
  readonly dayTriesMax: number
  /** Codes to one PAN and to one phone. */
  readonly sendWindows: SendClaim['windows']
  /** Wrong codes in an hour, of all cards: beyond it none is looked at. */
  readonly wrongCodesHourMax: number
  readonly networkTimeoutMs: number
  readonly smsTimeoutMs: number
  /** Who sends the message, as the cardholder reads it. */
  readonly providerName: string
  /** Host of the card form, for the last line of the message (WebOTP); null without one. */
  readonly formHost: string | null
}

export const verificationFigures: VerificationFigures = Object.freeze({
  codeLifeMs: 180_000,
  triesMax: 5,
  resendWaitMs: 60_000,
  limits: true,
  dayTriesMax: 15,
  sendWindows: sendWindowsOf({ tenMinutesMax: 3, dayMax: 5 }),
  wrongCodesHourMax: 1000,
  networkTimeoutMs: 12_000,
  smsTimeoutMs: 3000,
  providerName: 'Tessera',
  formHost: null,
})
