import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'

import { listStoredKeys } from '../inspection.ts'
import { keysSuite, makeKey } from '../keys.suite.ts'
import { StoreOutcomeUnknown } from '../store.ts'
import { inspectSqlite } from './inspect.ts'
import { openSqliteKeyStore, SQLITE_KEYS_FILE } from './keys.ts'
import { withFolder } from './with-store.fixture.ts'

describe('the embedded store of keys', () => {
  keysSuite((run) => () => withFolder((folder) => run(() => openSqliteKeyStore(folder))))

  test('a destroyed key is in no file when the call returns', () =>
    withFolder(async (folder) => {
      const keys = await openSqliteKeyStore(folder)
      const key = makeKey('a')
      await keys.insert(key)
      const filesWithKey = (): string[] =>
        readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(Buffer.from(key.wrapped)))
      assert.notDeepEqual(filesWithKey(), [])
      await keys.setState('a', 'destroyed')
      assert.deepEqual(filesWithKey(), [])
      await keys.close()
    }))

  test('a change that a crash has interrupted is undone when the checks of a start read the key store', () =>
    withFolder(async (folder) => {
      const keys = await openSqliteKeyStore(folder)
      await keys.insert(makeKey('a'))
      await keys.close()
      const crashed = join(folder, 'crashed')
      leaveHalfWritten(join(folder, SQLITE_KEYS_FILE), crashed)
      const inspection = inspectSqlite(crashed, 'keys')
      assert.deepEqual(
        (await listStoredKeys(inspection)).map(({ keyId }) => keyId),
        ['a'],
      )
      await inspection.close()
      assert.deepEqual(readdirSync(crashed), [SQLITE_KEYS_FILE])
    }))

  test('a close ends although the thread is stuck at the disk, and rejects', () =>
    withFolder(async (folder) => {
      const pipe = join(folder, `${SQLITE_KEYS_FILE}.pipe`)
      execFileSync('mkfifo', [pipe])
      const keys = await openSqliteKeyStore(folder, 50, new URL('./stuck-worker.fixture.ts', import.meta.url))
      try {
        await assert.rejects(keys.close(), StoreOutcomeUnknown)
      } finally {
        // The thread reads this and ends, unless it has been ended already.
        try {
          writeFileSync(pipe, 'x')
        } catch (err) {
          assert.equal((err as NodeJS.ErrnoException).code, 'EPIPE')
        }
      }
    }))
})

/** Copies a database and its journal as they are in the middle of a transaction, part of which is in the file already: what SIGKILL leaves behind. */
function leaveHalfWritten(path: string, folder: string): void {
  const db = new DatabaseSync(path)
  db.exec('pragma cache_size = 1; begin immediate; create table half (bytes blob); insert into half values (zeroblob(1000000))')
  mkdirSync(folder)
  for (const suffix of ['', '-journal']) copyFileSync(`${path}${suffix}`, join(folder, `${SQLITE_KEYS_FILE}${suffix}`))
  db.exec('rollback')
  db.close()
}
