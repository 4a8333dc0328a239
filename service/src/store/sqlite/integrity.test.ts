import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { StoreUnavailable } from '../store.ts'
import { isUnreadableNow } from './fault.ts'
import { readDatabaseFile } from './integrity.ts'

test('a file that cannot be opened is not reported as damaged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-integrity-'))
  try {
    await assert.rejects(readDatabaseFile(join(folder, 'missing.db')), StoreUnavailable)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a lock, and memory, descriptors or room that are missing, say nothing of the pages; a failing disk, broken pages and unknown errors do', () => {
  // SQLITE_BUSY, LOCKED, NOMEM, FULL, CANTOPEN; IOERR, CORRUPT, NOTADB, and an error of another kind.
  assert.deepEqual([5, 6, 7, 13, 14].map(isUnreadableNow), Array(5).fill(true))
  assert.deepEqual([10, 11, 26, null].map(isUnreadableNow), Array(4).fill(false))
})
