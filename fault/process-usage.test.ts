import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { readUsage } from './process-usage.ts'

test('the write-ahead logs of cards and of the request log are counted together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-usage-'))
  try {
    const serviceData = { folder, flags: [], databaseUrl: null, remove: async () => undefined }
    mkdirSync(join(folder, 'data'))
    assert.equal((await readUsage(process.pid, serviceData)).walMib, 0)
    for (const file of ['tessera.db-wal', 'requests.db-wal']) writeFileSync(join(folder, 'data', file), Buffer.alloc(2 ** 20))
    assert.equal((await readUsage(process.pid, serviceData)).walMib, 2)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
