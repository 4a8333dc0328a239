import assert from 'node:assert/strict'
import { test } from 'node:test'

import { auditPath, parseAuditFilter, toAuditParams } from './audit-filter.ts'

const userId = 'a'.repeat(24)

test('a filter is read from an address and written into one, and what is not valid is left out', () => {
  const filter = { userId, action: 'merchant.changed', from: '2026-11-20', to: '2026-11-21' }
  const path = auditPath(filter)
  assert.deepEqual(parseAuditFilter(new URLSearchParams(path.slice('audit?'.length))), filter)
  assert.deepEqual(parseAuditFilter(new URLSearchParams({ userId: 'x', action: 'DROP', from: 'yesterday', subject: '' })), {})
  assert.equal(auditPath({ userId: '', from: '' }), 'audit')
})

test('days are whole days in Tashkent, both included', () => {
  assert.deepEqual(toAuditParams({ from: '2026-11-20', to: '2026-11-20' }), {
    from: Date.UTC(2026, 10, 19, 19),
    to: Date.UTC(2026, 10, 20, 19),
  })
  assert.deepEqual(toAuditParams({ action: 'merchant.changed' }), { action: 'merchant.changed' })
})
