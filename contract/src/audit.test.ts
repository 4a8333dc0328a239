import assert from 'node:assert/strict'
import { test } from 'node:test'

import { auditActions, auditOutcomes, currentAuditAction, currentAuditOutcome } from './audit.ts'

test('a stored action of the first version is read under its present name, and every other one as it is', () => {
  assert.equal(currentAuditAction('receipt.set_aside'), 'receipt.flagged')
  for (const action of Object.keys(auditActions)) assert.equal(currentAuditAction(action), action)
  for (const unknown of ['constructor', 'toString', '__proto__', '', 'card.unheard']) assert.equal(currentAuditAction(unknown), unknown)
})

test('a stored outcome of the first version is read under its present name, for its action only', () => {
  assert.equal(currentAuditOutcome('card.created', 'once'), 'one_time')
  assert.equal(currentAuditOutcome('receipt.operation_started', 'authorise'), 'authorize')
  assert.equal(currentAuditOutcome('page.checked', 'broken'), 'violations_found')
  assert.equal(currentAuditOutcome('receipt.awaiting_merchant', 'broken'), 'broken')
  for (const outcome of Object.keys(auditOutcomes)) assert.equal(currentAuditOutcome('receipt.paid', outcome), outcome)
  for (const unknown of ['constructor', '', 'http_500', 'save']) assert.equal(currentAuditOutcome('toString', unknown), unknown)
})
