/** Every action of the audit, by its object. A new action needs a line here, and a label in dashboard/messages/audit-labels.ts. */
// prettier-ignore
export const auditActions = [
  'card.created', 'card.verified', 'card.expired', 'card.resealed', 'card.removed', 'card.ended',
  'code.requested', 'code.dispatched', 'code.attempted',
  'receipt.created', 'receipt.sent', 'receipt.operation_started', 'receipt.merchant_agreed', 'receipt.awaiting_merchant',
  'receipt.paid', 'receipt.held', 'receipt.payment_failed', 'receipt.unknown', 'receipt.reconcile_attempted',
  'receipt.return_pending', 'receipt.cancelled', 'receipt.merchant_cancel_sent', 'receipt.fiscal_data_set',
  'receipt.flagged', 'receipt.resolved',
  'merchant.created', 'merchant.row_signed', 'merchant.changed', 'merchant.blocked', 'merchant.unblocked',
  'merchant.password_rotated', 'merchant.password_retired',
  'dashboard.signed_in', 'dashboard.sign_in_refused', 'dashboard.signed_out', 'dashboard.signed_out_everywhere',
  'dashboard_user.created', 'dashboard_user.role_changed', 'dashboard_user.blocked', 'dashboard_user.unblocked',
  'dashboard_user.password_reset', 'dashboard_user.password_changed', 'dashboard_user.totp_enabled', 'dashboard_user.totp_disabled',
  'form_session.created', 'form_session.cancelled',
  'webhook.added', 'webhook.removed', 'webhook.secret_rotated', 'webhook.tested', 'event.replayed',
  'page.checked', 'script.authorized', 'script.refused',
  'key.rotated', 'key.destroyed',
  'sandbox.changed', 'sandbox.limits_changed', 'sandbox.clock_moved', 'sandbox.restored', 'sandbox.reset',
] as const

export type AuditAction = (typeof auditActions)[number]

/**
 * Actions under their names of the first version. Stored entries are never rewritten, since the action is part of each entry's hash; readers
 * show and count them under the present name.
 */
// prettier-ignore
const formerActions: Readonly<Record<string, AuditAction>> = {
  'code.asked':               'code.requested',
  'code.settled':             'code.dispatched',
  'code.tried':               'code.attempted',
  'receipt.asked':            'receipt.operation_started',
  'receipt.cleared':          'receipt.merchant_agreed',
  'receipt.closing':          'receipt.awaiting_merchant',
  'receipt.refused':          'receipt.payment_failed',
  'receipt.looked':           'receipt.reconcile_attempted',
  'receipt.returning':        'receipt.return_pending',
  'receipt.withdrawn':        'receipt.merchant_cancel_sent',
  'receipt.fiscal':           'receipt.fiscal_data_set',
  'receipt.set_aside':        'receipt.flagged',
  'merchant.sealed':          'merchant.row_signed',
  'dashboard_user.role_set':  'dashboard_user.role_changed',
  'dashboard_user.totp_on':   'dashboard_user.totp_enabled',
  'dashboard_user.totp_off':  'dashboard_user.totp_disabled',
  'script.authorised':        'script.authorized',
  'key.rotate':               'key.rotated',
  'key.destroy':              'key.destroyed',
  'sandbox.limits':           'sandbox.limits_changed',
  'sandbox.clock':            'sandbox.clock_moved',
}

/** The present name of a stored action; an unknown one as it is. */
export function currentAuditAction(stored: string): string {
  return Object.hasOwn(formerActions, stored) ? (formerActions[stored] ?? stored) : stored
}
