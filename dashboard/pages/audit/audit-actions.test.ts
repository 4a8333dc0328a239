import assert from 'node:assert/strict'
import { test } from 'node:test'

import { auditActions } from '@tessera/contract/audit'

import { actionsOfSubjects } from './audit-actions.ts'

/** Of servers and pages, of the service itself, or of the provider for the whole service. */
const neverListed = [
  'card.expired',
  'card.resealed',
  'receipt.sent',
  'receipt.reconcile_attempted',
  'receipt.merchant_cancel_sent',
  'receipt.fiscal_data_set',
  'receipt.flagged',
  'receipts.reconciled',
  'merchant.row_signed',
  'form_session.created',
  'form_session.attempted',
  'page.changed',
  'key.resealed',
  'key.rewrapped',
  'key.verified',
  'key.destroyed',
  'sms.looked_up',
  'sms.tested',
  'shares.created',
  'share.taken',
  'share.entered',
  'kek.handed_over',
  'node.enrolled',
  'node.revoked',
  'kek.opened',
  'rows.signed',
  'database.backed_up',
  'keys.backed_up',
  'clock.refused',
  'clock.confirmed',
  'database.restored',
  'database.moved',
  'database.primary_chosen',
  'audit.chain_keyed',
  'audit.fault_found',
  'row.refused',
]

test('every action is in the filter once, or is known not to be listed', () => {
  const listed = Object.values(actionsOfSubjects).flat()
  assert.deepEqual([...listed, ...neverListed].toSorted(), Object.keys(auditActions).toSorted())
})
