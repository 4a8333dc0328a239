import { hostname } from 'node:os'
import { readInteger } from '../columns.ts'
import { type Store, StoreDamaged, type StoreLock } from '../store.ts'
import { sql } from '../statement.ts'
import { logMigrations, type LogMigrations } from '../migrations/migrations.ts'
import { findAdvisoryLock, tryAdvisoryLock } from './advisory-lock.ts'
import { watchGrowth } from './grown-tables.ts'
import { migratePostgres } from './migrate.ts'
import { readHosts } from './hosts.ts'
import { connectOrClose, makePrimary, type PrimaryStart } from './primary.ts'
import { makeReaders } from './readers.ts'
import { makeSlot, type WriterChains } from './slot.ts'
import { makeWriters } from './writers.ts'

export interface PostgresStart {
  /** May name several hosts; the primary is found among them. */
  readonly url: string
  readonly log?: LogMigrations
  /** Name of this service's audit chains, followed by the writer's number; by default the host name. */
  readonly node?: string
  /** Connections that write, each one transaction at a time. */
  readonly writers?: number
  /** Connections that read. */
  readonly readers?: number
  /** How the primary is told from an older one that came back. */
  readonly fence?: PrimaryFence
  /** Told each time when the server finds its files damaged. */
  readonly onDamaged?: (found: StoreDamaged) => void
  /** Accepts a server that may lose acknowledged commits (fsync off). For tests only. */
  readonly allowUnsafe?: boolean
  /** Gathers no statistics of tables that grow. For tests only. */
  readonly gathersNoStatistics?: boolean
}

/** Where the primary that was followed last is recorded, and who is told about it. */
export type PrimaryFence = Pick<PrimaryStart, 'record' | 'observer'>

/** Opens the production store: finds the primary, migrates, and connects. Throws `StoreUnavailable` and `MigrationRefused`. */
export async function openPostgresStore(start: PostgresStart): Promise<Store> {
  const {
    url,
    log,
    node = hostname(),
    writers: writerCount = 4,
    readers: readerCount = 2,
    allowUnsafe = false,
    gathersNoStatistics = false,
    fence = {},
    onDamaged = () => undefined,
  } = start
  const primary = makePrimary({ hosts: readHosts(url), allowUnsafe, ...fence })
  const session = await connectOrClose(primary)
  try {
    logMigrations(await migratePostgres(session, 'cards'), log)
  } catch (err) {
    primary.close()
    throw err
  } finally {
    await session.end()
  }

  const chains: WriterChains = { key: null, commits: 0, heads: new Map(), listeners: [] }
  const slots = Array.from({ length: writerCount }, (_, at) => makeSlot(primary, `${node}-${at}`, chains))
  const writers = makeWriters(slots)
  const readers = makeReaders(primary, readerCount)
  const scanners = makeReaders(primary, scannerCount, scanMs)
  const growth = gathersNoStatistics ? null : watchGrowth(primary, readers)
  const locks = new Set<StoreLock>()
  /** Reports damage, and leaves the result as it is. */
  const watched = <T>(result: Promise<T>): Promise<T> => {
    result.catch((err: unknown) => {
      if (err instanceof StoreDamaged) onDamaged(err)
    })
    return result
  }
  return {
    kind: 'postgres',
    file: null,
    get durability() {
      return primary.durability
    },
    write: (transaction, input) => watched(writers.write(transaction, input)) as Promise<never>,
    read: (read) => watched(readers.read(read)),
    readNow: (read) => watched(readers.read(read)),
    scan: (query) => watched(scanners.read(query)),
    setAuditKey: (key) => void (chains.key = key),
    auditHeads: () => [...chains.heads.values()],
    watchAudit: (listener) => void chains.listeners.push(listener),
    tryLock: async (name) => noteLock(locks, await tryAdvisoryLock(primary, name)),
    isLocked: (name) => readers.read(findAdvisoryLock(name)),
    waitingWrites: () => writers.waitingWrites(),
    commitCount: () => chains.commits,
    connectionPools: () => [writers.usage(), readers.usage('readers'), scanners.usage('scanners')],
    sizeBytes: () =>
      readers.read({ statement: selectSize, values: [], map: ([row]) => (row === undefined ? 0 : readInteger(row, 'bytes')) }),
    ping: () => readers.read({ statement: ping, values: [], map: () => undefined }),
    close: async (deadlineMs) => {
      growth?.close()
      await writers.close(deadlineMs)
      await Promise.all([readers.close(), scanners.close(), ...[...locks].map((lock) => lock.release())])
      primary.close()
    },
  }
}

/** Notes a lock until it is released, so that the store can close its connection. */
function noteLock(locks: Set<StoreLock>, lock: StoreLock | null): StoreLock | null {
  if (lock === null) return null
  const noted: StoreLock = {
    check: () => lock.check(),
    release: () => {
      locks.delete(noted)
      return lock.release()
    },
  }
  locks.add(noted)
  return noted
}

/** Connections for walks through whole tables, opened when one begins. */
const scannerCount = 2
/** Time limit of one of their queries: checking an index takes as long as it is large. */
const scanMs = 10 * 60_000
const ping = sql`select 1 as one`
const selectSize = sql`select pg_database_size(current_database()) as bytes`
