import type { DeclineReason } from './network.ts'

/** The codes of field 39 of ISO 8583:1987 after which nothing was taken. Another code, also one that is listed nowhere, says nothing about it. */
export const definiteRefusals: ReadonlySet<string> = new Set(
  '01 02 03 04 05 07 12 13 14 15 30 31 33 34 36 38 41 43 51 52 53 54 55 56 57 58 59 61 62 63 65 75 78'.split(' '),
)

/** What codes of field 39 mean to the payer or the operator; a refusal with another code is `declined`. */
export const declineReasons: Readonly<Record<string, DeclineReason>> = Object.freeze({
  '04': 'cardBlocked',
  '06': 'systemError',
  '07': 'cardBlocked',
  33: 'cardExpired',
  41: 'cardBlocked',
  43: 'cardBlocked',
  51: 'insufficientFunds',
  54: 'cardExpired',
  61: 'cardLimit',
  62: 'cardBlocked',
  65: 'cardLimit',
  91: 'systemError',
  96: 'systemError',
})
