import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { KeyStoreMismatch } from '../../domain/keys/key-store-mismatch.ts'
import { readConfig } from '../config/config.ts'
import { readDashboardAssets } from '../../server/pages/dashboard-assets.ts'
import { readDocsPages } from '../../server/pages/docs-pages.ts'
import { ExitError } from '../exits.ts'
import { readFormAssets } from '../../server/pages/form-assets.ts'
import { RowBroken } from '../../store/columns.ts'
import { StoreDamaged, StoreLocked } from '../../store/store.ts'

import { explainStart } from './explain-start.ts'

const empty = mkdtempSync(join(tmpdir(), 'tessera-unbuilt-'))
after(() => rmSync(empty, { recursive: true }))

test('a key store of another database is a setting to correct: the message has the code and each way out', () => {
  const { config } = readConfig([`--data=${empty}`])
  const explained = explainStart(new KeyStoreMismatch('the key store is empty'), config, new AbortController().signal)
  assert.ok(explained instanceof ExitError)
  assert.equal(explained.exit, 'invalidSettings')
  assert.match(
    explained.message,
    /^key_store_mismatch: the key store is empty\. .*TESSERA_KEYS_DATABASE_URL.*put the newest back.*key store is lost/,
  )
})

test('a migration that another session keeps waiting ends with 69, and says how to find the session', () => {
  const { config } = readConfig([`--data=${empty}`])
  const explained = explainStart(new StoreLocked('another session has held a lock'), config, new AbortController().signal)
  assert.ok(explained instanceof ExitError)
  assert.deepEqual([explained.exit, /held a lock.*pg_stat_activity/.test(explained.message)], ['unavailable', true], explained.message)
})

test('a start without the built form or dashboard ends with a line that says what to run', () => {
  const { config } = readConfig([`--data=${empty}`])
  for (const read of [readFormAssets, readDashboardAssets, readDocsPages]) {
    assert.throws(
      () => {
        try {
          read(empty)
        } catch (err) {
          throw explainStart(err, config, new AbortController().signal)
        }
      },
      (err) => err instanceof ExitError && err.exit === 'invalidSettings' && /is not built in .*: run npm run build$/.test(err.message),
    )
  }
})

test('damage that is found after the first statements of a start ends it as damaged, also below another error', () => {
  const { config } = readConfig([`--data=${empty}`])
  const explain = (err: Error): unknown => explainStart(err, config, new AbortController().signal)
  const damaged = new StoreDamaged('PostgreSQL found its files damaged (invalid page in block 3)', 'Restore it.')
  for (const err of [damaged, new Error('the audit cannot be read', { cause: damaged })]) {
    const explained = explain(err)
    assert.ok(explained instanceof ExitError)
    assert.deepEqual([explained.exit, explained.message], ['damaged', `${damaged.message}. Restore it.`])
  }
  const broken = explain(new RowBroken('state'))
  assert.ok(broken instanceof ExitError)
  assert.equal(broken.exit, 'damaged')
  assert.match(broken.message, /somebody changed it: a stored row is broken at column state\. tessera store check/)
  assert.equal(explain(new Error('invalid page in block 3')) instanceof ExitError, false)
})
