import type { FormField } from '@tessera/contract/frame'

import type { ReasonDisplay } from '../own-reasons.ts'
import type { FormTexts } from '../texts.ts'

/**
 * Looks up how a reason is shown. A reason has its own text, or that of another reason for which the cardholder has to do the same. Every other
 * reason is a mistake of the shop or of the service: nothing that the cardholder types would help.
 */
export function describeReason(reason: string): ReasonDisplay {
  const isLimit = /limit|busy|overloaded/.test(reason)
  const text = sameAs[reason] ?? (hasOwnText(reason) ? reason : isLimit ? 'too_many' : 'shop')
  const [field = null, isRetryable = isLimit] = ownTexts[text] ?? []
  return { text, field, isRetryable }
}

/** Every reason that the cardholder can do something about. */
export const cardholderReasons = (): readonly string[] => [...Object.keys(ownTexts), ...Object.keys(sameAs)]

function hasOwnText(reason: string): reason is keyof typeof ownTexts {
  return Object.hasOwn(ownTexts, reason)
}

const ownTexts: Readonly<Partial<Record<keyof FormTexts, readonly [field?: FormField | null, isRetryable?: boolean]>>> = {
  number_missing: ['number'],
  card_number_format: ['number'],
  card_number_no_route: ['number'],
  sms_not_connected: ['number'],
  card_blocked: ['number'],
  holder_mismatch: ['number'],
  expiry_missing: ['expiry'],
  expire_format: ['expiry'],
  expire_past: ['expiry'],
  card_expired: ['expiry'],
  code_missing: ['code'],
  wrong_code: ['code', true],
  tries_used_up: ['code'],
  code_expired: ['code'],
  verification_stopped: [],
  sms_not_sent: [null, true],
  resend_too_soon: [null, true],
  system_error: [null, true],
  network_timeout: [null, true],
  service_error: [null, true],
  offline: [null, true],
  stopped: [null, true],
  session_ended: [],
  session_used_up: [],
  session_done: [],
  session_unknown: [],
  card_not_found: [],
}

const sameAs: Readonly<Record<string, keyof FormTexts>> = {
  card_number_check_digit: 'card_number_format',
  expire_month: 'expire_format',
  code_not_requested: 'code_expired',
  code_malformed: 'wrong_code',
  card_day_tries_used_up: 'too_many',
  network_unavailable: 'network_timeout',
  internal_error: 'service_error',
  store_unavailable: 'service_error',
  draining: 'service_error',
  card_deleted: 'card_not_found',
  card_ended: 'card_not_found',
}
