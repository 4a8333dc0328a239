import type { AuditAction } from '@tessera/contract/audit'

/** The subjects of the filter by action, in its order: the pages that they belong to. */
export const auditSubjects = ['receipts', 'cards', 'verification', 'webhooks', 'users', 'settings', 'compliance', 'sandbox'] as const
export type AuditSubject = (typeof auditSubjects)[number]

/**
 * The actions that `dashboard.audit.list` can have: those of users, of the provider for this merchant, and of people who did not sign in. What servers and
 * pages call, what the service does by itself and what the provider does for the whole service is not listed there. Test payments and replays of calls are
 * actions of users, so payments, cards and codes can be theirs too.
 */
export const actionsOfSubjects: Readonly<Record<AuditSubject, readonly AuditAction[]>> = {
  receipts: [
    'receipt.created',
    'receipt.operation_started',
    'receipt.merchant_agreed',
    'receipt.awaiting_merchant',
    'receipt.paid',
    'receipt.held',
    'receipt.payment_failed',
    'receipt.capture_declined',
    'receipt.unknown',
    'receipt.return_pending',
    'receipt.cancelled',
    'receipt.resolved',
  ],
  cards: [
    'card.created',
    'card.verified',
    'card.removed',
    'card.ended',
    'form_session.cancelled',
    'form_session.picked',
    'form_session.removal_asked',
  ],
  verification: ['code.requested', 'code.dispatched', 'code.attempted'],
  webhooks: [
    'webhook.added',
    'webhook.changed',
    'webhook.removed',
    'webhook.secret_rotated',
    'webhook.tested',
    'event.replayed',
    'webhook.failed_replayed',
  ],
  users: [
    'dashboard.signed_in',
    'dashboard.sign_in_refused',
    'dashboard.signed_out',
    'dashboard.signed_out_everywhere',
    'dashboard.session_ended',
    'dashboard.confirmed',
    'dashboard.confirmation_refused',
    'dashboard_user.created',
    'dashboard_user.role_changed',
    'dashboard_user.blocked',
    'dashboard_user.unblocked',
    'dashboard_user.renamed',
    'dashboard_user.deleted',
    'dashboard_user.password_reset',
    'dashboard_user.password_changed',
    'dashboard_user.totp_enabled',
    'dashboard_user.totp_disabled',
    'dashboard_user.passkey_added',
    'dashboard_user.passkey_renamed',
    'dashboard_user.passkey_removed',
    'dashboard_user.passkey_ended',
    'dashboard_user.recovery_codes_created',
    'dashboard_user.recovery_code_used',
    'dashboard_user.recovery_code_ended',
  ],
  settings: [
    'merchant.created',
    'merchant.changed',
    'merchant.blocked',
    'merchant.unblocked',
    'merchant.password_rotated',
    'merchant.password_renamed',
    'merchant.password_retired',
    'key.rotated',
  ],
  compliance: [
    'page.checked',
    'page.watch_ended',
    'script.authorized',
    'script.refused',
    'merchant.evidence_published',
    'data.export_started',
    'data.exported',
  ],
  sandbox: ['sandbox.changed', 'sandbox.limits_changed', 'sandbox.clock_moved', 'sandbox.restored', 'sandbox.reset'],
}
