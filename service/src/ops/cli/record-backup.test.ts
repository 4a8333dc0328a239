import assert from 'node:assert/strict'
import { test } from 'node:test'

import { toBackupRecord } from './record-backup.ts'

test('the entry of a backup with thousands of audit chains counts them, and names the longest', () => {
  const heads = Array.from({ length: 5000 }, (_, i) => ({ chain: `host-${String(i)}-0`, seq: ((i * 7919) % 5000) + 1 }))
  const record = toBackupRecord({ what: 'database', path: '/backups/monday', heads }, 'backup')
  assert.deepEqual([record.destination, record.chains, record.heads.length], ['monday', 5000, 30])
  assert.deepEqual(
    record.heads.map(({ seq }) => seq),
    Array.from({ length: 30 }, (_, i) => 5000 - i),
  )
})
