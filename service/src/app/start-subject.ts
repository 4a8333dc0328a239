import { KekMissingError, type Kek } from '@tessera/vault/kek'
import { openKeyring, type Keyring, type WrappedKey } from '@tessera/vault/keyring'

import type { KekAdapterDependencies } from '../adapters/kms/kek.ts'
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
import { requireOtherKek } from './storage.ts'

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
  /** Unix milliseconds. */
  readonly now: () => number
  /** Ends a check that reads the whole database; undefined where nobody can. */
  readonly stopping?: AbortSignal | undefined
  marker(): FolderMarker | null
  database(): Promise<DatabaseInspection>
  keyStore(): Promise<DatabaseInspection>
  storedKeys(): Promise<readonly WrappedKey[]>
  /** Null when there is none and none is needed: the first start creates it, in production `tessera keys init`. */
  kek(): Promise<Kek | null>
  /** The KEK that is to replace it; null when none is named. */
  nextKek(): Promise<Kek | null>
  /** The keys of the key store, unwrapped. */
  keyring(): Promise<Keyring>
  /** The same, with the keys listed anew: another process may have created some since. */
  newestKeyring(): Promise<Keyring>
  /** Closes the connections and forgets what was read by them: a start that waits for custodians for days looks again afterwards. */
  release(): Promise<void>
  close(): Promise<void>
}

export interface StartSubjectDependencies {
  readonly adapters: Pick<Adapters, 'openKek' | 'openNextKek'>
  /** Other KEKs that this process has. Default: none. */
  readonly heldKeks?: () => readonly Kek[]
  readonly clock: Clock
  readonly log: Log
  readonly claim: StartSubject['claim']
  readonly isServing: StartSubject['isServing']
  /** Runs a step again while the database does not respond, as long as a start waits for it. */
  readonly retry: <T>(step: () => Promise<T>) => Promise<T>
  /** For commands that accept a database that lacks its last writes. Default: false. */
  readonly acceptsOlder?: boolean
  /** Ends a check that reads the whole database. */
  readonly stopping?: AbortSignal
}

export function makeStartSubject(config: Config, deps: StartSubjectDependencies): StartSubject {
  const { adapters, clock, log, claim, isServing, retry, acceptsOlder = false, stopping } = deps
  const resources = createResources((err) => log.error('close_failed', { err }))
  const inspections = createResources((err) => log.warn('close_failed', { err }))
  resources.add(inspections.closeAll)
  const keysUrl = config.keysDatabaseUrl ?? config.databaseUrl
  const database = once(() => inspect('cards', config.databaseUrl, 'TESSERA_DATABASE_URL'))
  const keyStore = once(() =>
    inspect('keys', keysUrl, config.keysDatabaseUrl === null ? 'TESSERA_DATABASE_URL' : 'TESSERA_KEYS_DATABASE_URL'),
  )
  const storedKeys = once(async () => listStoredKeys(await keyStore()))
  const marker = (): FolderMarker | null => readFolderMarker(config.dataFolder)
  const kek = once(findKek)
  const nextKek = once(findNextKek)
  const keyring = once(async () => {
    // It may wait for custodians, and another node may wrap the keys again meanwhile.
    await kek()
    return unwrapKeys(await storedKeys())
  })
  const newestKeyring = async (): Promise<Keyring> => unwrapKeys(await listStoredKeys(await keyStore()))
  const close = resources.closeAll
  const release = async (): Promise<void> => {
    for (const { forget } of [database, keyStore, storedKeys]) forget()
    await inspections.closeAll()
  }
  return {
    config,
    claim,
    isServing,
    acceptsOlder,
    log,
    now: clock.now,
    stopping,
    marker,
    database,
    keyStore,
    storedKeys,
    kek,
    nextKek,
    keyring,
    newestKeyring,
    release,
    close,
  }

  async function inspect(schema: 'cards' | 'keys', url: string | null, setting: string): Promise<DatabaseInspection> {
    try {
      const inspection = await retry(() => inspectDatabase(schema, url, config.dataFolder))
      inspections.add(inspection.close)
      return inspection
    } catch (err) {
      throw explainDatabase(err, setting) ?? err
    }
  }

  async function findKek(): Promise<Kek | null> {
    const stored = await storedKeys()
    try {
      const opened = await adapters.openKek(kekDependencies())
      resources.add(() => opened.close())
      return opened
    } catch (err) {
      if (!(err instanceof KekMissingError)) throw err
      const was = marker()
      if (stored.length === 0 && was === null) {
        // Only a start in the test environment generates one.
        if (config.environment === 'production') throw err
        return null
      }
      const reason = stored.length > 0 ? `the key store has ${stored.length} keys that it wraps` : 'the data folder was used with one'
      throw new ExitError('invalidSettings', `${err.message}, and ${reason} (KEK ${was?.kek ?? stored[0]?.kekId ?? 'unknown'}).`, {
        cause: err,
        advice: findKekAdvice,
      })
    }
  }

  async function findNextKek(): Promise<Kek | null> {
    const opened = await adapters.openNextKek(kekDependencies())
    if (opened === null) return null
    resources.add(() => opened.close())
    return requireOtherKek(opened, await kek())
  }

  function kekDependencies(): KekAdapterDependencies {
    return { ...adapterDependencies(config, deps, config.networkTimeoutMs), warn: deps.log.warn, mayCreate: false }
  }

  async function unwrapKeys(stored: readonly WrappedKey[]): Promise<Keyring> {
    const [wrapping, next] = [await kek(), await nextKek()]
    const refuse = (): Promise<never> => Promise.reject(new Error('the key store is open for reading only'))
    const keys = { list: async () => [...stored], insert: refuse, setState: refuse, replaceWrapped: refuse, close: async () => undefined }
    return openKeyring({
      kek: wrapping ?? noKek,
      nextKek: () => next,
      heldKeks: deps.heldKeks ?? (() => []),
      keys,
      environment: config.environment,
      now: clock.now,
    })
  }
}

/** Runs a step once; every caller gets the same result, or the same error, until it is forgotten. */
function once<T>(step: () => Promise<T>): (() => Promise<T>) & { readonly forget: () => void } {
  let result: Promise<T> | null = null
  return Object.assign(() => (result ??= step()), { forget: () => void (result = null) })
}

/** There are no keys to unwrap where this is used. */
const noKek: Kek = {
  id: 'none',
  kind: 'development-file',
  wrap: () => Promise.reject(new Error('there is no KEK yet')),
  unwrap: () => Promise.reject(new Error('there is no KEK yet')),
  failure: () => null,
  close: () => undefined,
}
const findKekAdvice =
  'Restore the file from a backup, or copy it from another service on the same database. If it is lost, no key and no card can be opened any more: ' +
  'start with an empty database, an empty key store and an empty data folder.'
