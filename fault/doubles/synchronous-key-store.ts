import type { KeyStore, WrappedKey } from '@tessera/vault/keyring'
import { insertKey, listKeys, replaceWrappedKey, setKeyState } from '../../service/src/store/keys.ts'
import { connectKeys, makeDatabaseFile } from '../../service/src/store/sqlite/connect.ts'
import { SQLITE_KEYS_FILE } from '../../service/src/store/sqlite/keys.ts'
import { migrateSqlite } from '../../service/src/store/sqlite/migrate.ts'

export { openSynchronousKeyStore as openSqliteKeyStore, SQLITE_KEYS_FILE }

/** Waits for the file's lock in the calling thread. */
async function openSynchronousKeyStore(folder: string): Promise<KeyStore> {
  const { db, run } = connectKeys(makeDatabaseFile(folder, SQLITE_KEYS_FILE), 5000)
  migrateSqlite(db, 'keys')
  return {
    list: async () => listKeys.map(run(listKeys.statement, [])),
    insert: async (key: WrappedKey) => run(insertKey.statement, insertKey.values(key)).length > 0,
    setState: async (keyId, state) => void run(setKeyState.statement, setKeyState.values(keyId, state)),
    replaceWrapped: async (before, after) => run(replaceWrappedKey.statement, replaceWrappedKey.values(before, after)).length > 0,
    close: async () => db.close(),
  }
}
