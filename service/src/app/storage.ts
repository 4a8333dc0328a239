import { hostname } from 'node:os'
import { dirname } from 'node:path'

import { KekError, type Kek } from '@tessera/vault/kek'
import { openKeyring, type Keyring, type KeyStore } from '@tessera/vault/keyring'

import type { KekAdapterDependencies } from '../adapters/kms/kek.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../ops/config/config.ts'
import type { Exit } from '../ops/exits.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Custody } from '../domain/custody/custody.ts'
import type { KeyStoreValues } from '../store/keys.ts'
import type { PostgresKeyStore } from '../store/postgres/keys.ts'
import type { PrimaryFence } from '../store/postgres/postgres.ts'
import type { PrimaryObserver } from '../store/postgres/primary.ts'
import type { RecordPlace } from '../store/postgres/primary-record.ts'
import type { DamagedRequestLog, RequestLogStore } from '../store/request-log-store.ts'
import { makeShareSetStore } from '../store/share-sets.ts'
import { openSqliteKeyStore } from '../store/sqlite/keys.ts'
import { makeSqliteRequestLog } from '../store/sqlite/request-log.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import { type Store, StoreDamaged, StoreRefused, StoreUnavailable } from '../store/store.ts'

import { adapterDependencies } from './adapter-dependencies.ts'
import { auditHeadsFile, auditHeadsValue } from './data-folder.ts'
import { type Anchors, makeAnchors, type ValueStore } from '../domain/freshness/anchors.ts'
import { makeValueFile } from '../store/value-file.ts'
import type { Adapters } from './adapters.ts'
import type { Resources } from './lifecycle.ts'
import { openPrimaryRecord, sharedRecordPlace, type DatabaseName } from './primary-fence.ts'

/** The database, the data keys, and the key that wraps them. */
export interface Storage {
  readonly store: Store
  readonly requestLog: RequestLogStore
  readonly keyring: Keyring
  readonly kek: Kek
  /** The KEK that is to replace it; null when there is none. */
  readonly nextKek: () => Kek | null
  /** Other KEKs that this process has. */
  readonly heldKeks: () => readonly Kek[]
  /** Where the service records how far it read the audit. */
  readonly anchors: Anchors
  /** Values beside the keys; null where the keys were opened elsewhere. */
  readonly keyStoreValues: KeyStoreValues | null
}

export interface StorageDependencies {
  readonly clock: Clock
  readonly log: Log
  /** Aborted when the service stops; ends the wait for a database. */
  readonly stopping: AbortSignal
  /** Ends the process at once, because it is unknown which writes are durable. */
  readonly endNow: (exit: Exit, event: string, err: unknown) => never
  /** Told which primary of a database on PostgreSQL is followed. */
  readonly primaryObserver?: (database: DatabaseName) => PrimaryObserver
  /** Told each time when a PostgreSQL server finds its files damaged. */
  readonly onDamaged?: (found: StoreDamaged) => void
  /** Whether the clock may be a reason to retire or destroy a key. Default: always. */
  readonly isTimeTrusted?: () => boolean
  /** A store that is already open; the caller closes it. */
  readonly store?: Store
  readonly keyring?: Keyring
  /** KEKs that custodians open while the service runs. Default: none. */
  readonly custody?: Pick<Custody, 'openKeks' | 'useSets'>
  /** Called before the store that `openStorage` opened is closed. */
  readonly onStoreClosing?: () => void
  /** On PostgreSQL, the name of this worker's audit chains. Default: the host's. */
  readonly node?: string
  /** A request log that is already open; the caller closes it. */
  readonly requestLog?: RequestLogStore
  /** Where this worker records for its next start what it has seen. Default: the data folder. */
  readonly recordFolder?: string
  /** Called when this worker has changed the state of a data key, or which KEK wraps it. */
  readonly onKeysChanged?: () => void
}

/** Opens the keys and the store; `resources` closes them again. */
export async function openStorage(config: Config, adapters: Adapters, deps: StorageDependencies, resources: Resources): Promise<Storage> {
  const { clock, log, endNow, recordFolder = config.dataFolder } = deps
  let heads: ValueStore = makeValueFile(recordFolder, auditHeadsFile)
  let sharedRecord: RecordPlace | null = null
  let next: Kek | null = null
  const heldKeks = (): readonly Kek[] => deps.custody?.openKeks() ?? []
  // The newest that custodians opened, unless another is named.
  const nextKek = (): Kek | null => next ?? heldKeks().findLast(({ id }) => id !== currentKekId) ?? null
  let currentKekId = ''
  let keyStoreValues: KeyStoreValues | null = null
  const { kek, keyring } = deps.keyring === undefined ? await openKeys() : { kek: await openKek(true), keyring: deps.keyring }
  const store = deps.store ?? (await openDatabase())
  const requestLog = deps.requestLog ?? (await openOwnRequestLog())
  const snapshot = makeValueFile(recordFolder, rowVersionsFile)
  return {
    store,
    requestLog,
    keyring,
    kek,
    nextKek,
    heldKeks,
    keyStoreValues,
    anchors: makeAnchors({ heads, snapshot, keyring, environment: config.environment }),
  }

  /** A KEK is created in the test environment and for an empty key store only: the keys of another one need theirs. `tessera keys init` creates others. */
  async function openKeys(): Promise<Pick<Storage, 'kek' | 'keyring'>> {
    const keys = await retryUntilReachable(config, deps, () => openKeyStore(config, deps))
    resources.add(() => keys.close())
    // In PostgreSQL, because a process there may not find its data folder again.
    keyStoreValues = keys
    deps.custody?.useSets(makeShareSetStore(keys))
    resources.add(() => deps.custody?.useSets(null))
    if ('readValue' in keys) {
      heads = { read: () => keys.readValue(auditHeadsValue), save: (value) => keys.saveValue(auditHeadsValue, value) }
      sharedRecord = sharedRecordPlace(keys)
    }
    const opened = await openKek(config.environment === 'test' && (await keys.list()).length === 0)
    currentKekId = opened.id
    next = await openNextKek(opened)
    const { isTimeTrusted = () => true } = deps
    const { environment } = config
    const announced = deps.onKeysChanged === undefined ? keys : announceChanges(keys, deps.onKeysChanged)
    const keyring = await openKeyring({
      kek: opened,
      nextKek,
      heldKeks,
      keys: announced,
      environment,
      now: () => clock.now(),
      isTimeTrusted,
    })
    return { kek: opened, keyring }
  }

  async function openNextKek(current: Kek): Promise<Kek | null> {
    const opened = await adapters.openNextKek(kekDependencies(false))
    if (opened === null) return null
    resources.add(() => opened.close())
    return requireOtherKek(opened, current)
  }

  async function openKek(mayCreate: boolean): Promise<Kek> {
    const opened = await adapters.openKek(kekDependencies(mayCreate))
    resources.add(() => opened.close())
    return opened
  }

  function kekDependencies(mayCreate: boolean): KekAdapterDependencies {
    return { ...adapterDependencies(config, deps, config.networkTimeoutMs), warn: deps.log.warn, mayCreate }
  }

  async function openOwnRequestLog(): Promise<RequestLogStore> {
    const opened = await openRequestLog(config, store, ({ file, cause: err }) => log.error('request_log_set_aside', { folder: file, err }))
    resources.add(() => opened.close())
    return opened
  }

  async function openDatabase(): Promise<Store> {
    const events = { log: log.info, onLost: (cause: Error) => endNow('ioError', 'store_lost', cause) }
    const fence = { record: openPrimaryRecord(recordFolder, 'cards', sharedRecord), ...observerOf(deps, 'cards') }
    const damage = deps.onDamaged === undefined ? {} : { onDamaged: deps.onDamaged }
    const opened = await retryUntilReachable(config, deps, () => openStore(config, { ...events, ...damage, node: deps.node, fence }))
    resources.add(() => {
      deps.onStoreClosing?.()
      return opened.close(storeCloseTimeoutMs)
    })
    return opened
  }
}

/** A key store that tells of changes to keys that exist. A new key is found by whoever needs it. */
function announceChanges(keys: KeyStore, onChanged: () => void): KeyStore {
  return {
    list: () => keys.list(),
    insert: async (key) => {
      const isInserted = await keys.insert(key)
      // It takes the place of the one before.
      if (isInserted && key.epoch > 1) onChanged()
      return isInserted
    },
    setState: async (keyId, state) => {
      await keys.setState(keyId, state)
      onChanged()
    },
    replaceWrapped: async (before, after) => {
      const isReplaced = await keys.replaceWrapped(before, after)
      if (isReplaced) onChanged()
      return isReplaced
    },
    close: () => keys.close(),
  }
}

/** Throws `KekError` when the next KEK is the current one. */
export function requireOtherKek(next: Kek, current: Kek | null): Kek {
  if (next.id === current?.id)
    throw new KekError(`the KEK ${next.id} that TESSERA_KEK_NEXT_FILE names is the current one: remove the setting, or name another key`)
  return next
}

/** Callbacks of a store: progress while it opens, and when it is unknown which writes are durable. */
export interface StoreEvents {
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
  readonly onLost: (cause: Error) => void
  /** On PostgreSQL. */
  readonly fence?: PrimaryFence
  /** On PostgreSQL: told each time when the server finds its files damaged. */
  readonly onDamaged?: (found: StoreDamaged) => void
  /** On PostgreSQL, the name of the audit chains. Default: the host's. */
  readonly node?: string | undefined
}

/** Opens the store that the settings name. Throws `StoreUnavailable`, `MigrationRefused` and errors of the system. */
export async function openStore(config: Config, { log, onLost, fence = {}, onDamaged, node = hostname() }: StoreEvents): Promise<Store> {
  const { databaseUrl: url, dataFolder: folder, storeMegabytesMax, databaseWriters: writers } = config
  if (url === null) {
    const maxPages = storeMegabytesMax === null ? {} : { maxPages: storeMegabytesMax * pagesInMegabyte }
    return openSqliteStore({ folder, log, exit: onLost, ...maxPages })
  }
  // The driver is loaded only if it is used: it takes 5 % of the memory of an idle service.
  const { openPostgresStore } = await import('../store/postgres/postgres.ts')
  return openPostgresStore({ url, log, writers, fence, node, ...(onDamaged === undefined ? {} : { onDamaged }) })
}

/** The request log: beside the embedded database a file of its own, on PostgreSQL a partitioned table. */
async function openRequestLog(
  { storeMegabytesMax }: Config,
  store: Store,
  onDamaged: (damaged: DamagedRequestLog) => void,
): Promise<RequestLogStore> {
  if (store.file === null) return (await import('../store/postgres/request-log.ts')).makePostgresRequestLog(store)
  const maxPages = storeMegabytesMax === null ? {} : { maxPages: storeMegabytesMax * pagesInMegabyte }
  return makeSqliteRequestLog({ folder: dirname(store.file), onDamaged, ...maxPages })
}

/** Opens the store of the wrapped data keys, like `openStore`. */
export async function openKeyStore(
  { keysDatabaseUrl, databaseUrl, dataFolder }: Config,
  deps: Pick<StorageDependencies, 'primaryObserver' | 'recordFolder'>,
): Promise<(KeyStore & KeyStoreValues) | PostgresKeyStore> {
  const url = keysDatabaseUrl ?? databaseUrl
  if (url === null) return openSqliteKeyStore(dataFolder)
  const { openPostgresKeyStore } = await import('../store/postgres/keys.ts')
  return openPostgresKeyStore({
    url,
    fence: { record: openPrimaryRecord(deps.recordFolder ?? dataFolder, 'keys'), ...observerOf(deps, 'keys') },
  })
}

function observerOf(
  { primaryObserver }: Pick<StorageDependencies, 'primaryObserver'>,
  database: DatabaseName,
): Pick<PrimaryFence, 'observer'> {
  return primaryObserver === undefined ? {} : { observer: primaryObserver(database) }
}

/**
 * Retries once a second for as long as the settings allow, since a database is often started together with the service. The time begins again after
 * an attempt that lasted longer than it.
 */
export async function retryUntilReachable<T>(
  config: Config,
  { log, clock, stopping }: Pick<StorageDependencies, 'log' | 'clock' | 'stopping'>,
  open: () => Promise<T>,
): Promise<T> {
  const waitMs = config.databaseWaitSeconds * 1000
  let giveUpAt = clock.moment().monotonicMs + waitMs
  for (let attempt = 1; ; attempt++) {
    const startedAt = clock.moment().monotonicMs
    try {
      return await open()
    } catch (err) {
      const failedAt = clock.moment().monotonicMs
      if (waitMs > 0 && failedAt - startedAt > waitMs) giveUpAt = failedAt + waitMs
      const isFinal = !(err instanceof StoreUnavailable) || err instanceof StoreRefused || err instanceof StoreDamaged
      if (isFinal || stopping.aborted || failedAt >= giveUpAt) throw err
      log.warn('database_unreachable', { attempt, err })
      await clock.sleep(1000, stopping)
    }
  }
}

/** As a cache, the versions up to what `auditHeadsFile` names. */
export const rowVersionsFile = 'row-versions'
/** Time for a store to complete its work when it closes. */
export const storeCloseTimeoutMs = 5000
/** Page size of SQLite. */
const pagesInMegabyte = 256
