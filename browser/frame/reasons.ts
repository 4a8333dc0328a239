import type { FormField } from '@tessera/contract/frame'

import type { Texts } from './texts.ts'

/** What a cardholder reads for a reason of the wire, at which field, and whether the same may be tried again. */
export interface Told {
  readonly text: keyof Texts
  readonly field: FormField | null
  readonly isRetryable: boolean
}

/** Reasons that are not listed are the shop's or ours to mend: nothing that a cardholder types helps. */
export function tellReason(reason: string): Told {
  const [text, field = null, isRetryable = false] =
    told[reason] ?? (/limit|busy|overloaded/.test(reason) ? ['tooMany', null, true] : ['shop'])
  return { text, field, isRetryable }
}

/** Every reason that has a text of its own. */
export const toldReasons = (): readonly string[] => Object.keys(told)

const told: Readonly<Record<string, readonly [keyof Texts, (FormField | null)?, boolean?]>> = {
  number_missing: ['numberMissing', 'number'],
  card_number_format: ['numberWrong', 'number'],
  card_number_check_digit: ['numberWrong', 'number'],
  card_number_no_route: ['noRoute', 'number'],
  expiry_missing: ['expiryMissing', 'expiry'],
  expire_format: ['expiryWrong', 'expiry'],
  expire_month: ['expiryWrong', 'expiry'],
  expire_past: ['expiryPast', 'expiry'],
  sms_not_connected: ['smsOff', 'number'],
  card_expired: ['expired', 'expiry'],
  card_blocked: ['blocked', 'number'],
  code_missing: ['codeMissing', 'code'],
  wrong_code: ['wrongCode', 'code', true],
  tries_used_up: ['usedUp', 'code'],
  code_too_old: ['oldCode', 'code'],
  code_not_requested: ['oldCode', 'code'],
  sms_not_sent: ['notSent', null, true],
  resend_too_soon: ['tooSoon', null, true],
  card_day_tries_used_up: ['tooMany'],
  system_error: ['system', null, true],
  internal_error: ['system', null, true],
  store_unavailable: ['system', null, true],
  draining: ['system', null, true],
  network_timeout: ['noAnswer', null, true],
  offline: ['offline', null, true],
  stopped: ['stopped', null, true],
  session_ended: ['session'],
  session_used_up: ['session'],
  session_unknown: ['session'],
  card_not_found: ['gone'],
  card_deleted: ['gone'],
  card_ended: ['gone'],
}
