import { DatabaseSync } from 'node:sqlite'
import type { KeyStore, WrappedKey } from '@tessera/vault/keyring'
import { insertKey, listKeys, setKeyState } from '../questions/keys.ts'
import { connect, makeDatabaseFile } from './connect.ts'
import { migrateSqlite } from './migrate.ts'

/** Opens the store of wrapped data keys: a file of its own beside the cards' one, never in the same backup. */
export async function openSqliteKeyStore(folder: string): Promise<KeyStore> {
  const path = makeDatabaseFile(folder, SQLITE_KEYS_FILE)
  const connection = connect(new DatabaseSync(path))
  const { db } = connection
  db.exec('pragma busy_timeout = 5000')
  // Not WAL: what is destroyed must be gone from every file when the call returns. EXTRA also syncs the folder, so that a commit stays one.
  db.exec('pragma journal_mode = delete')
  db.exec('pragma synchronous = extra')
  db.exec('pragma secure_delete = on')
  migrateSqlite(db, 'keys')

  return Object.freeze<KeyStore>({
    list: async () => listKeys.tell(connection.ask(listKeys.statement, [])),
    insert: async (key: WrappedKey) => connection.ask(insertKey.statement, insertKey.values(key)).length > 0,
    setState: async (keyId, state) => void connection.ask(setKeyState.statement, setKeyState.values(keyId, state)),
    close: async () => db.close(),
  })
}

export const SQLITE_KEYS_FILE = 'keys.db'
