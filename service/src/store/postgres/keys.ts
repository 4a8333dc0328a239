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
  let session: Session | null = await connect()
  await migratePostgres(session, 'keys')

  return Object.freeze<KeyStore>({
    list: async () => listKeys.tell(await ask(listKeys.statement, [])),
    insert: async (key: WrappedKey) => (await ask(insertKey.statement, insertKey.values(key))).length > 0,
    setState: async (keyId, state) => {
      await ask(setKeyState.statement, setKeyState.values(keyId, state))
    },
    close: async () => session?.end(),
  })

  async function connect(): Promise<Session> {
    const opened = await primary.connect(() => undefined)
    await opened.say(`set search_path = ${KEYS_SCHEMA}`)
    return opened
  }

  /** One statement is one transaction; a connection lost in it leaves the outcome open. */
  async function ask(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    if (session?.usable !== true) session = await connect()
    session.takeWarning()
    try {
      const found = await session.ask(statement, values)
      if (session.takeWarning()) throw new StoreOutcomeUnknown('the server committed with a warning')
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
