import { DatabaseSync } from 'node:sqlite'
import type { KeyStore, WrappedKey } from '@tessera/vault/keyring'
import { insertKey, listKeys, setKeyState } from '../keys.ts'
import { StoreFull } from '../store.ts'
import type { Row, Statement, Value } from '../statement.ts'
import { connect, makeDatabaseFile } from './connect.ts'
import { opening, sqliteFaultOf } from './fault.ts'
import { migrateSqlite } from './migrate.ts'

/** Opens the store of wrapped data keys: a file of its own beside the cards' file, never in the same backup. */
export async function openSqliteKeyStore(folder: string): Promise<KeyStore> {
  const path = makeDatabaseFile(folder, SQLITE_KEYS_FILE)
  const connection = connect(new DatabaseSync(path))
  const { db } = connection
  try {
    opening(path, prepare)
  } catch (err) {
    db.close()
    throw err
  }

  return Object.freeze<KeyStore>({
    list: async () => listKeys.map(runStatement(listKeys.statement, [])),
    insert: async (key: WrappedKey) => runStatement(insertKey.statement, insertKey.values(key)).length > 0,
    setState: async (keyId, state) => void runStatement(setKeyState.statement, setKeyState.values(keyId, state)),
    close: async () => db.close(),
  })

  function prepare(): void {
    db.exec('pragma busy_timeout = 5000')
    // Not WAL: a destroyed key must be gone from every file when the call returns. EXTRA also syncs the folder, so that a commit is durable.
    db.exec('pragma journal_mode = delete')
    db.exec('pragma synchronous = extra')
    db.exec('pragma secure_delete = on')
    migrateSqlite(db, 'keys')
  }

  /** A full disk throws `StoreFull`, so that the caller retries later. */
  function runStatement(statement: Statement, values: readonly Value[]): readonly Row[] {
    try {
      return connection.run(statement, values)
    } catch (err) {
      if (sqliteFaultOf(err) === 'full') throw new StoreFull('no room for a data key', { cause: err })
      throw err
    }
  }
}

export const SQLITE_KEYS_FILE = 'keys.db'
