import type { KeyStore, WrappedKey } from '@tessera/vault/keyring'
import { insertKey, listKeys, setKeyState } from '../questions/keys.ts'
import type { Row, Statement, Value } from '../statement.ts'
import { StoreFull, StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { faultOf } from './fault.ts'
import { readHosts } from './hosts.ts'
import { KEYS_SCHEMA, migratePostgres } from './migrate.ts'
import { makePrimary } from './primary.ts'
import type { Session } from './session.ts'

export interface PostgresKeysStart {
  /** May name several hosts. */
  readonly url: string
  /** Takes a server that may lose acknowledged commits. For tests only. */
  readonly allowUnsafe?: boolean
}

/** Opens the store of wrapped data keys: a schema of its own, and in production a database of its own. */
export async function openPostgresKeyStore({ url, allowUnsafe = false }: PostgresKeysStart): Promise<KeyStore> {
  const primary = makePrimary({ hosts: readHosts(url), allowUnsafe })
  let connecting: Promise<Session> | null = null
  let closed = false
  /** How often a server has warned so far. */
  let warnings = 0
  let session = await connect()
  try {
    await migratePostgres(session, 'keys')
  } catch (err) {
    session.destroy()
    throw err
  }

  return Object.freeze<KeyStore>({
    list: async () => listKeys.tell(await ask(listKeys.statement, [])),
    insert: async (key: WrappedKey) => (await ask(insertKey.statement, insertKey.values(key))).length > 0,
    setState: async (keyId, state) => {
      await ask(setKeyState.statement, setKeyState.values(keyId, state))
    },
    close: async () => {
      closed = true
      await session.end()
    },
  })

  async function connect(): Promise<Session> {
    const opened = await primary.connect(() => undefined)
    try {
      await opened.say(`set search_path = ${KEYS_SCHEMA}`)
      if (closed) throw new StoreUnavailable('the store of keys is closed')
    } catch (err) {
      opened.destroy()
      throw err
    }
    return opened
  }

  /** However many find the connection lost, one is made. */
  async function usableSession(): Promise<Session> {
    if (closed) throw new StoreUnavailable('the store of keys is closed')
    if (session.usable) return session
    connecting ??= connect().finally(() => (connecting = null))
    session = await connecting
    return session
  }

  /** Counts what the server warned of; whoever asked meanwhile is not to be sure. */
  function countWarnings(from: Session): number {
    if (from.takeWarning()) warnings += 1
    return warnings
  }

  /** One statement is one transaction; a connection lost in it leaves the outcome open. */
  async function ask(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    const asked = await usableSession()
    const before = countWarnings(asked)
    try {
      const found = await asked.ask(statement, values)
      if (countWarnings(asked) !== before) throw new StoreOutcomeUnknown('the server committed with a warning')
      return found
    } catch (err) {
      if (faultOf(err) === 'full') throw new StoreFull('no room for a data key', { cause: err })
      if (err instanceof Error && faultOf(err) === 'unavailable' && !(err instanceof StoreUnavailable)) {
        throw new StoreOutcomeUnknown(err.message, { cause: err })
      }
      throw err
    }
  }
}
