import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { keysSuite, makeKey } from '../keys.suite.ts'
import { openSqliteKeyStore } from './keys.ts'
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
})
