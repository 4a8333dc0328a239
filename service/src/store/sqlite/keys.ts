import { DatabaseSync } from 'node:sqlite'
import type { KeyStore, WrappedKey } from '@tessera/vault/keyring'
import { insertKey, listKeys, setKeyState } from '../questions/keys.ts'
import type { Row, Statement, Value } from '../statement.ts'
import { StoreFull } from '../store.ts'
import { connect, makeDatabaseFile } from './connect.ts'
import { faultOf } from './fault.ts'
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
    list: async () => listKeys.tell(ask(listKeys.statement, [])),
    insert: async (key: WrappedKey) => ask(insertKey.statement, insertKey.values(key)).length > 0,
    setState: async (keyId, state) => void ask(setKeyState.statement, setKeyState.values(keyId, state)),
    close: async () => db.close(),
  })

  /** A full disk is told in the store's words, so that whoever needed a new key is asked to come again. */
  function ask(statement: Statement, values: readonly Value[]): readonly Row[] {
    try {
      return connection.ask(statement, values)
    } catch (err) {
      if (faultOf(err) === 'full') throw new StoreFull('no room for a data key', { cause: err })
      throw err
    }
  }
}

export const SQLITE_KEYS_FILE = 'keys.db'
