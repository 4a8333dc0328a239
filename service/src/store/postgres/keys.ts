import type { KeyStore, WrappedKey } from '@tessera/vault/keyring'
import { findValue, insertKey, listKeys, listValues, replaceWrappedKey, saveValue, setKeyState, type KeyStoreValues } from '../keys.ts'
import { StoreFull, StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import type { Row, Statement, Value } from '../statement.ts'
import { storeTimeLimits, timeLeft, untilDeadline } from '../time-limits.ts'
import { damagedError, postgresFaultOf } from './fault.ts'
import { KEYS_SCHEMA, migratePostgres } from './migrate.ts'
import { readHosts } from './hosts.ts'
import type { PrimaryFence } from './postgres.ts'
import { connectOrClose, makePrimary } from './primary.ts'
import type { Session } from './session.ts'

export interface PostgresKeysStart {
  /** May name several hosts. */
  readonly url: string
  /** How the primary is told from an older one that came back. */
  readonly fence?: PrimaryFence
  /** Accepts a server that may lose acknowledged commits. For tests only. */
  readonly allowUnsafe?: boolean
}

/** The key store with a few named values beside the keys. */
export interface PostgresKeyStore extends KeyStore, KeyStoreValues {
  /** Null when it was never saved. */
  readValue(name: string): Promise<Uint8Array | null>
}

/** Opens the store of wrapped data keys: a schema of its own, and in production a database of its own. */
export async function openPostgresKeyStore({ url, fence = {}, allowUnsafe = false }: PostgresKeysStart): Promise<PostgresKeyStore> {
  const primary = makePrimary({ hosts: readHosts(url), allowUnsafe, searchPath: KEYS_SCHEMA, ...fence })
  let connecting: Promise<Session> | null = null
  let closed = false
  /** How many warnings a server has sent so far. */
  let warnings = 0
  let session = await connectOrClose(primary)
  try {
    await migratePostgres(session, 'keys')
  } catch (err) {
    session.destroy()
    primary.close()
    throw err
  }

  return Object.freeze<PostgresKeyStore>({
    list: async () => listKeys.map(await runStatement(listKeys.statement, [])),
    insert: async (key: WrappedKey) => (await runStatement(insertKey.statement, insertKey.values(key))).length > 0,
    setState: async (keyId, state) => {
      await runStatement(setKeyState.statement, setKeyState.values(keyId, state))
    },
    replaceWrapped: async (before, after) =>
      (await runStatement(replaceWrappedKey.statement, replaceWrappedKey.values(before, after))).length > 0,
    readValue: async (name) => findValue.map(await runStatement(findValue.statement, [name])),
    listValues: async (prefix) => listValues.map(await runStatement(listValues.statement, listValues.values(prefix))),
    saveValue: async (name, value) => {
      await runStatement(saveValue.statement, saveValue.values(name, value))
    },
    close: async () => {
      closed = true
      primary.close()
      await session.end()
    },
  })

  async function connect(): Promise<Session> {
    const opened = await primary.connect(() => undefined)
    if (closed) {
      opened.destroy()
      throw new StoreUnavailable('the store of keys is closed')
    }
    return opened
  }

  /** Opens only one new connection, however many callers find the old one lost. */
  async function usableSession(): Promise<Session> {
    if (closed) throw new StoreUnavailable('the store of keys is closed')
    if (session.usable) return session
    connecting ??= connect().finally(() => (connecting = null))
    session = await connecting
    return session
  }

  /** Counts the server's warnings. A query during which a warning arrived may not be durable. */
  function countWarnings(from: Session): number {
    if (from.takeWarning()) warnings += 1
    return warnings
  }

  /** One statement is one transaction; when the connection is lost during it, the outcome is unknown. */
  async function runStatement(statement: Statement, values: readonly Value[]): Promise<readonly Row[]> {
    const deadline = performance.now() + storeTimeLimits.writeMs
    const usable = await untilDeadline(usableSession(), deadline, 'connecting')
    const before = countWarnings(usable)
    try {
      const found = await usable.query(statement, values, timeLeft(deadline))
      if (countWarnings(usable) !== before) throw new StoreOutcomeUnknown('the server committed with a warning')
      return found
    } catch (err) {
      if (postgresFaultOf(err) === 'damaged') throw damagedError(err)
      if (postgresFaultOf(err) === 'full') throw new StoreFull('no room for a data key', { cause: err })
      if (err instanceof Error && postgresFaultOf(err) === 'unavailable' && !(err instanceof StoreUnavailable)) {
        throw new StoreOutcomeUnknown(err.message, { cause: err })
      }
      throw err
    }
  }
}
