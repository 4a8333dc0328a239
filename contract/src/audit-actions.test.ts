import assert from 'node:assert/strict'
import { test } from 'node:test'

import { auditActions, currentAuditAction } from './audit-actions.ts'

test('a stored action of the first version is read under its present name, and every other one as it is', () => {
  assert.equal(currentAuditAction('receipt.set_aside'), 'receipt.flagged')
  for (const action of auditActions) assert.equal(currentAuditAction(action), action)
  for (const unknown of ['constructor', 'toString', '__proto__', '', 'card.unheard']) assert.equal(currentAuditAction(unknown), unknown)
})
