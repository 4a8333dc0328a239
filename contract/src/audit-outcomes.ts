/**
 * The outcomes of audit entries, as the dashboard gets them. A new one needs a line here and a label in dashboard/messages/audit-labels.ts. Besides
 * these an outcome may be a session id, the names of changed settings, a scenario of the sandbox with its step, `ahead <ms> ms`, `http_<status>` or
 * `error_<code>`.
 */
// prettier-ignore
export const auditOutcomes = [
  'done', 'requested', 'stored', 'refused', 'unknown', 'created', 'cancelled', 'nothing',
  // Cards and codes.
  'saved', 'one_time', 'removed', 'reset', 'resealed', 'shredded', 'tampered',
  'sent', 'sms_not_sent', 'send_limit_phone', 'send_refused', 'correct_code', 'wrong_code', 'code_expired', 'tries_used_up', 'code_not_requested',
  'sms_not_connected', 'card_expired', 'card_blocked', 'system_error', 'network_timeout',
  // Receipts.
  'debit', 'hold', 'authorise', 'capture', 'captured', 'refund', 'cancel_hold', 'reverse', 'reversed', 'approved', 'declined',
  'insufficient_funds', 'card_limit', 'debit_failed', 'card_gone', 'paid', 'not_paid', 'unpaid', 'expired', 'hold_expired', 'repeated', 'leased',
  'reply_lost', 'never_seen', 'still_unknown', 'flagged',
  // The merchant's endpoint and webhooks.
  'agreed', 'performed', 'merchant_refused', 'merchant_no_answer', 'given_up', 'delivered', 'late', 'unreachable', 'forbidden_address',
  'forbidden_url', 'not_signed', 'endpoint_removed', 'stopped', 'broken', 'too_long', 'not_a_reply', 'unexpected_result',
  // Users, pages and the sandbox.
  'owner', 'developer', 'support', 'read', 'issued', 'all', 'locked', 'password', 'blocked', 'code', 'clean', 'violations_found',
  'ask', 'on', 'off', 'partial',
  // The settings of a merchant that changed.
  'state', 'name', 'organization', 'address', 'credentials', 'origins', 'account_fields', 'min_amount', 'max_amount', 'limits',
  'strict_server_auth', 'require_form_sessions', 'endpoint', 'business_id', 'epos',
] as const

export type AuditOutcome = (typeof auditOutcomes)[number]

/**
 * Outcomes under their names of the first version, by the present name of the action. Stored entries are never rewritten, since the outcome is part of
 * each entry's hash; readers show them under the present name.
 */
// prettier-ignore
const formerOutcomes: Readonly<Record<string, AuditOutcome>> = {
  'card.created save':               'saved',
  'card.created once':               'one_time',
  'card.verified right_code':        'correct_code',
  'card.expired kept':               'stored',
  'code.requested asked':            'requested',
  'receipt.sent asked':              'requested',
  'receipt.paid closed':             'performed',
  'receipt.unknown lost':            'reply_lost',
  'receipt.unknown waiting':         'still_unknown',
  'receipt.return_pending lapsed':   'hold_expired',
  'receipt.return_pending again':    'repeated',
  'receipt.fiscal_data_set kept':    'stored',
  'page.checked broken':             'violations_found',
  'key.rotated asked':               'requested',
  'key.destroyed asked':             'requested',
  'sandbox.reset asked':             'requested',
  'sandbox.reset partly':            'partial',
}

/** The present name of a stored outcome; an unknown one as it is. `action` is the present name of the entry's action. */
export function currentAuditOutcome(action: string, stored: string): string {
  const key = `${action} ${stored}`
  return Object.hasOwn(formerOutcomes, key) ? (formerOutcomes[key] ?? stored) : stored
}
