import type { FormField } from '@tessera/contract/frame'

import type { Texts } from './texts.ts'

/** What a cardholder reads for a reason of the wire, at which field, and whether the same may be tried again. */
export interface Told {
  readonly text: keyof Texts
  readonly field: FormField | null
  readonly isRetryable: boolean
}

/** A reason has the text of its own name, or one that asks the same of the cardholder. Any other is the shop's or ours to mend: nothing that is typed helps. */
export function tellReason(reason: string): Told {
  const isBusy = /limit|busy|overloaded/.test(reason)
  const text = sameAs[reason] ?? (isOwn(reason) ? reason : isBusy ? 'too_many' : 'shop')
  const [field = null, isRetryable = isBusy] = own[text] ?? []
  return { text, field, isRetryable }
}

/** Every reason that a cardholder can do something about. */
export const toldReasons = (): readonly string[] => [...Object.keys(own), ...Object.keys(sameAs)]

function isOwn(reason: string): reason is keyof typeof own {
  return Object.hasOwn(own, reason)
}

const own: Readonly<Partial<Record<keyof Texts, readonly [(FormField | null)?, boolean?]>>> = {
  number_missing: ['number'],
  card_number_format: ['number'],
  card_number_no_route: ['number'],
  sms_not_connected: ['number'],
  card_blocked: ['number'],
  expiry_missing: ['expiry'],
  expire_format: ['expiry'],
  expire_past: ['expiry'],
  card_expired: ['expiry'],
  code_missing: ['code'],
  wrong_code: ['code', true],
  tries_used_up: ['code'],
  code_too_old: ['code'],
  sms_not_sent: [null, true],
  resend_too_soon: [null, true],
  system_error: [null, true],
  network_timeout: [null, true],
  offline: [null, true],
  stopped: [null, true],
  session_ended: [],
  card_not_found: [],
}

const sameAs: Readonly<Record<string, keyof Texts>> = {
  card_number_check_digit: 'card_number_format',
  expire_month: 'expire_format',
  code_not_requested: 'code_too_old',
  card_day_tries_used_up: 'too_many',
  internal_error: 'system_error',
  store_unavailable: 'system_error',
  draining: 'system_error',
  session_used_up: 'session_ended',
  session_unknown: 'session_ended',
  card_deleted: 'card_not_found',
  card_ended: 'card_not_found',
}
