import { policyBounds, policyPresetNames } from './policy-values.ts'
import type { Setting } from './values.ts'

/** The verification policy (docs/operating/verification-policy.md). What is not set is taken from the preset. */
export const verificationPolicySettings = [
  {
    name: 'verificationPolicy',
    env: 'TESSERA_VERIFICATION_POLICY',
    flag: '--verification-policy',
    type: 'choice',
    choices: policyPresetNames,
    default: 'specification',
    meaning:
      'The preset of the verification policy; the settings below override its values one by one. cbu-3759-as-reported has what the press reported of regulation 3759 of the Central Bank of Uzbekistan: check the act.',
    source: 'the specification: six digits, 180 s, 5 attempts',
  },
  {
    name: 'otpLength',
    env: 'TESSERA_OTP_LENGTH',
    flag: '--otp-length',
    type: 'integer',
    ...policyBounds.length,
    default: null,
    meaning: 'Characters of an SMS code. By default 6.',
  },
  {
    name: 'otpAlphabet',
    env: 'TESSERA_OTP_ALPHABET',
    flag: '--otp-alphabet',
    type: 'alphabet',
    default: null,
    meaning:
      'Characters of SMS codes: digits, letters (consonants and digits of which no two look alike), or the characters themselves. By default digits; letters with cbu-3759-as-reported.',
  },
  {
    name: 'otpLifetimeSeconds',
    env: 'TESSERA_OTP_LIFETIME_SECONDS',
    flag: '--otp-lifetime-seconds',
    type: 'integer',
    ...policyBounds.lifetimeSeconds,
    default: null,
    meaning: 'Lifetime of an SMS code. By default 180; 59 with cbu-3759-as-reported.',
    source: 'at most 10 minutes: OWASP ASVS 5.0 V6.5.5',
  },
  {
    name: 'otpAttemptsMax',
    env: 'TESSERA_OTP_ATTEMPTS_MAX',
    flag: '--otp-attempts-max',
    type: 'integer',
    ...policyBounds.attempts,
    default: null,
    meaning: 'Attempts per SMS code. By default 5; 3 with cbu-3759-as-reported.',
    source: 'six digits and five attempts: one chance in 200,000 per code',
  },
  {
    name: 'otpStopMinutes',
    env: 'TESSERA_OTP_STOP_MINUTES',
    flag: '--otp-stop-minutes',
    type: 'integer',
    ...policyBounds.stopMinutes,
    default: null,
    meaning:
      'For how long verification stops after as many wrong codes in a row as a code has attempts; 0: not at all. By default 0; 15 with cbu-3759-as-reported.',
  },
  {
    name: 'otpStopPer',
    env: 'TESSERA_OTP_STOP_PER',
    flag: '--otp-stop-per',
    type: 'stopSubjects',
    default: null,
    meaning: 'For what verification stops: card, phone and customer. By default the card; all three with cbu-3759-as-reported.',
  },
  {
    name: 'resendWaitSeconds',
    env: 'TESSERA_RESEND_WAIT_SECONDS',
    flag: '--resend-wait-seconds',
    type: 'integer',
    ...policyBounds.resendWaitSeconds,
    default: null,
    meaning: 'Time until another code may be requested. By default 60.',
    source: 'the wait of the Payme Subscribe API',
  },
  {
    name: 'holderCheck',
    env: 'TESSERA_HOLDER_CHECK',
    flag: '--holder-check',
    type: 'choice',
    choices: ['network', 'service'],
    default: null,
    meaning:
      "Who says whether a phone is the cardholder's: the card network alone, or the outside service that TESSERA_HOLDER chooses as well. By default network.",
  },
  {
    name: 'holderUnknown',
    env: 'TESSERA_HOLDER_UNKNOWN',
    flag: '--holder-unknown',
    type: 'choice',
    choices: ['accept', 'refuse'],
    default: null,
    meaning: 'Whether no answer about the cardholder counts as a match. By default accept; refuse with cbu-3759-as-reported.',
  },
  {
    name: 'networkVerificationPolicies',
    env: 'TESSERA_NETWORK_VERIFICATION_POLICIES',
    flag: '--network-verification-policies',
    type: 'policies',
    default: null,
    meaning:
      'Policies of single card networks, JSON by network: {"humo":{"preset":"cbu-3759-as-reported","length":8}}. What a network does not name is taken from its preset, or from the policy of the service.',
  },
] as const satisfies readonly Setting[]
