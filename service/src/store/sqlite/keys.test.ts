import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { keysSuite, makeKey } from '../keys.suite.ts'
import { StoreOutcomeUnknown } from '../store.ts'
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

  test('a close ends although the thread is stuck at the disk, and rejects', () =>
    withFolder(async (folder) => {
      const pipe = join(folder, `${SQLITE_KEYS_FILE}.pipe`)
      execFileSync('mkfifo', [pipe])
      const keys = await openSqliteKeyStore(folder, 50, new URL('./stuck-worker.fixture.ts', import.meta.url))
      try {
        await assert.rejects(keys.close(), StoreOutcomeUnknown)
      } finally {
        // The thread reads this and ends.
        writeFileSync(pipe, 'x')
      }
    }))
})
