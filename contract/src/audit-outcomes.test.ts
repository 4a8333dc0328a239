import assert from 'node:assert/strict'
import { test } from 'node:test'

import { auditOutcomes, currentAuditOutcome } from './audit-outcomes.ts'

test('a stored outcome of the first version is read under its present name, for its action only', () => {
  assert.equal(currentAuditOutcome('card.created', 'once'), 'one_time')
  assert.equal(currentAuditOutcome('page.checked', 'broken'), 'violations_found')
  assert.equal(currentAuditOutcome('receipt.awaiting_merchant', 'broken'), 'broken')
  for (const outcome of auditOutcomes) assert.equal(currentAuditOutcome('receipt.paid', outcome), outcome)
  for (const unknown of ['constructor', '', 'http_500', 'save']) assert.equal(currentAuditOutcome('toString', unknown), unknown)
})
