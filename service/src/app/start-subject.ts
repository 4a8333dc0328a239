import { KekMissingError, type Kek } from '@tessera/vault/kek'
import { openKeyring, type Keyring, type WrappedKey } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import { explainDatabase } from '../ops/cli/explain-start.ts'
import type { Config } from '../ops/config/config.ts'
import { ExitError } from '../ops/exits.ts'
import type { Log } from '../ops/logging/log.ts'
import { listStoredKeys, type DatabaseInspection } from '../store/inspection.ts'

import { adapterDependencies } from './adapter-dependencies.ts'
import type { Adapters } from './adapters.ts'
import { readFolderMarker, type FolderMarker } from './data-folder.ts'
import { inspectDatabase } from './inspect-database.ts'
import { createResources } from './lifecycle.ts'

/** What the checks of a start look at. Each part is opened when the first check needs it, for reading only: a refused start changes nothing. */
export interface StartSubject {
  readonly config: Config
  /** Ensures that no other service uses the data folder. Returns what was found. */
  readonly claim: () => Promise<string>
  /** Whether this machine's ports are in use by the service itself. */
  readonly isServing: () => boolean
  /** Whether an operator accepts a database that lacks its last writes. */
  readonly acceptsOlder: boolean
  readonly log: Pick<Log, 'info'>
  marker(): FolderMarker | null
  database(): Promise<DatabaseInspection>
  keyStore(): Promise<DatabaseInspection>
  storedKeys(): Promise<readonly WrappedKey[]>
  /** Null when there is none and none is needed: the first start creates it. */
  kek(): Promise<Kek | null>
  /** The keys of the key store, unwrapped. */
  keyring(): Promise<Keyring>
  /** The same, with the keys listed anew: another process may have created some since. */
  newestKeyring(): Promise<Keyring>
  close(): Promise<void>
}

export interface StartSubjectDependencies {
  readonly adapters: Pick<Adapters, 'openKek'>
  readonly clock: Clock
  readonly log: Log
  readonly claim: StartSubject['claim']
  readonly isServing: StartSubject['isServing']
  /** Runs a step again while the database does not respond, as long as a start waits for it. */
  readonly retry: <T>(step: () => Promise<T>) => Promise<T>
  /** For commands that accept a database that lacks its last writes. Default: false. */
  readonly acceptsOlder?: boolean
}

export function makeStartSubject(config: Config, deps: StartSubjectDependencies): StartSubject {
  const { adapters, clock, log, claim, isServing, retry, acceptsOlder = false } = deps
  const resources = createResources((err) => log.error('close_failed', { err }))
  const keysUrl = config.keysDatabaseUrl ?? config.databaseUrl
  const database = once(() => inspect('cards', config.databaseUrl, 'TESSERA_DATABASE_URL'))
  const keyStore = once(() =>
    inspect('keys', keysUrl, config.keysDatabaseUrl === null ? 'TESSERA_DATABASE_URL' : 'TESSERA_KEYS_DATABASE_URL'),
  )
  const storedKeys = once(async () => listStoredKeys(await keyStore()))
  const marker = (): FolderMarker | null => readFolderMarker(config.dataFolder)
  const kek = once(findKek)
  const keyring = once(async () => unwrapKeys(await storedKeys()))
  const newestKeyring = async (): Promise<Keyring> => unwrapKeys(await listStoredKeys(await keyStore()))
  const close = resources.closeAll
  return { config, claim, isServing, acceptsOlder, log, marker, database, keyStore, storedKeys, kek, keyring, newestKeyring, close }

  async function inspect(schema: 'cards' | 'keys', url: string | null, setting: string): Promise<DatabaseInspection> {
    try {
      const inspection = await retry(() => inspectDatabase(schema, url, config.dataFolder))
      resources.add(inspection.close)
      return inspection
    } catch (err) {
      throw explainDatabase(err, setting) ?? err
    }
  }

  async function findKek(): Promise<Kek | null> {
    const stored = await storedKeys()
    try {
      return await adapters.openKek({ ...adapterDependencies(config, deps, config.networkTimeoutMs), mayCreate: false })
    } catch (err) {
      if (!(err instanceof KekMissingError)) throw err
      const was = marker()
      if (stored.length === 0 && was === null) return null
      const reason = stored.length > 0 ? `the key store has ${stored.length} keys that it wraps` : 'the data folder was used with one'
      throw new ExitError('invalidSettings', `${err.message}, and ${reason} (KEK ${was?.kek ?? stored[0]?.kekId ?? 'unknown'}).`, {
        cause: err,
        advice: findKekAdvice,
      })
    }
  }

  async function unwrapKeys(stored: readonly WrappedKey[]): Promise<Keyring> {
    const wrapping = await kek()
    const refuse = (): Promise<never> => Promise.reject(new Error('the key store is open for reading only'))
    const keys = { list: async () => [...stored], insert: refuse, setState: refuse, close: async () => undefined }
    return openKeyring({ kek: wrapping ?? noKek, keys, environment: config.environment, now: clock.now })
  }
}

/** Runs a step once; every caller gets the same result, or the same error. */
function once<T>(step: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => (result ??= step())
}

/** There are no keys to unwrap where this is used. */
const noKek: Kek = {
  id: 'none',
  kind: 'development-file',
  wrap: () => Promise.reject(new Error('there is no KEK yet')),
  unwrap: () => Promise.reject(new Error('there is no KEK yet')),
}
const findKekAdvice =
  'Restore the file from a backup, or copy it from another service on the same database. If it is lost, no key and no card can be opened any more: ' +
  'start with an empty database, an empty key store and an empty data folder.'
