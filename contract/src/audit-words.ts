/** What the audit tells that was done: every word of it, by the noun that it was done to. A new deed gets its word here, and the dashboard labels for it. */
export const auditWords = [
  ...(['card.created', 'card.verified', 'card.expired', 'card.resealed', 'card.removed', 'card.ended'] as const),
  ...(['code.asked', 'code.settled', 'code.tried'] as const),
  ...([
    'receipt.created',
    'receipt.sent',
    'receipt.asked',
    'receipt.withdrawn',
    'receipt.closing',
    'receipt.paid',
    'receipt.held',
  ] as const),
  ...(['receipt.refused', 'receipt.unknown', 'receipt.looked', 'receipt.returning', 'receipt.cancelled'] as const),
  ...(['receipt.fiscal', 'receipt.cleared', 'receipt.set_aside'] as const),
  ...(['merchant.created', 'merchant.sealed', 'merchant.changed', 'merchant.blocked', 'merchant.unblocked'] as const),
  ...(['merchant.password_rotated', 'merchant.password_retired'] as const),
  ...(['dashboard.signed_in', 'dashboard.sign_in_refused', 'dashboard.signed_out', 'dashboard.signed_out_everywhere'] as const),
  ...(['dashboard_user.created', 'dashboard_user.role_set', 'dashboard_user.blocked', 'dashboard_user.unblocked'] as const),
  ...(['dashboard_user.password_reset', 'dashboard_user.password_changed', 'dashboard_user.totp_on', 'dashboard_user.totp_off'] as const),
  ...(['form_session.created', 'form_session.cancelled', 'webhook.added', 'webhook.removed'] as const),
  ...(['webhook.secret_rotated', 'webhook.tested', 'event.replayed'] as const),
  ...(['page.checked', 'script.authorised', 'script.refused', 'key.rotate', 'key.destroy'] as const),
  ...(['sandbox.changed', 'sandbox.limits', 'sandbox.clock', 'sandbox.restored', 'sandbox.reset'] as const),
] as const

export type AuditWord = (typeof auditWords)[number]
