import type { Dek } from '@tessera/vault/dek'
import type { MessagePort } from 'node:worker_threads'

import type { Awaitable } from '../awaitable.ts'

import type { AuditHead } from './audit.ts'
import type { RowVersion } from './table.ts'
import type { OnlyMembersOf, Read, TransactionFunction, WriteResult } from './transaction.ts'

/**
 * The service's database: SQLite or PostgreSQL, with one suite for both. `read(findCard(key))` runs a query, `write(updateCard, { … })` runs a
 * transaction; queries and transactions are exported by the file of their table.
 *
 * A write resolves only when it is durable. It is stored as a whole, with its audit entry, events and idempotency record, or not at all. Errors:
 * `StoreFull`, `StoreOverloaded`, `StoreUnavailable` (nothing was written) and `StoreOutcomeUnknown`.
 */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  /** The path of the embedded database's file; null on PostgreSQL. */
  readonly file: string | null
  /** What an acknowledged write survives: `local` one machine's crash (fsync), `replicated` the loss of that machine. */
  readonly durability: 'local' | 'replicated'
  /** Resolves when the store can be read; throws `StoreUnavailable` when it cannot. For `/readyz`. */
  ping(): Promise<void>
  /** Writes that wait for their turn, the batch that is being committed excluded. For metrics. */
  waitingWrites(): number
  /** Commits of this process since its start. Writes that wait together share one. For metrics. */
  commitCount(): number
  /** The connections to PostgreSQL by what they are for; none of an embedded database. For metrics. */
  connectionPools(): readonly ConnectionPool[]
  /** Bytes of the database on its disk, with the write-ahead log of an embedded one. For metrics. */
  sizeBytes(): Promise<number>
  /** Waits at most `deadlineMs` for the writes in progress, then closes. */
  close(deadlineMs: number): Promise<void>
  read<T>(query: Read<T>): Promise<T>
  /** The same, without a promise where nothing has to be waited for: on SQLite. For what nearly every call reads. */
  readNow<T>(query: Read<T>): Awaitable<T>
  /**
   * Runs a query of a walk through whole tables, apart from the reads of requests: in another thread on SQLite, on another connection on PostgreSQL. It may
   * take minutes. Throws `StoreDamaged` when a page of the database that the query needs is broken.
   */
  scan<T>(query: Read<T>): Promise<T>
  /** The key under which audit entries are linked from the next write on. Without one no entry can be written. */
  setAuditKey(key: Dek): void
  /** The last committed entries of the audit chains that this process writes; a chain is missing before its first entry. */
  auditHeads(): readonly AuditHead[]
  /** Calls the listener with the audit entries of each commit of this process, before its writes resolve. It must not throw. */
  watchAudit(listener: AuditListener): void
  /** Takes the lock of this name for this process; null when another process has it. */
  tryLock(name: string): Promise<StoreLock | null>
  /** Whether a process has the lock of this name. A read: it takes no lock and opens no connection. */
  isLocked(name: string): Promise<boolean>
  /** A way for another thread to write what this store writes. Absent on PostgreSQL, where each thread has connections of its own. */
  readonly openWriterPort?: () => MessagePort
  /** The result includes `duplicate_request` only when the input has an idempotency record. */
  write<I, T, X extends I>(transaction: TransactionFunction<I, T>, input: X & OnlyMembersOf<I, X>): Promise<WriteResult<T, X>>
}

/** How the connections of one pool are used. */
export interface ConnectionPool {
  readonly name: 'writers' | 'readers' | 'scanners'
  /** Connections with a transaction or a query in progress. */
  readonly inUse: number
  /** Open connections without one. */
  readonly idle: number
  /** Connections that are not open: they are opened when they are needed. */
  readonly closed: number
  /** Writes or reads that wait for one of the connections. */
  readonly waiting: number
}

/** The part of an audit chain that one commit of this process appended. */
export interface AuditCommit {
  readonly before: AuditHead
  readonly after: AuditHead
  /** Of the entries about a version above 1: a version of 1 is that of a new object. */
  readonly versions: readonly RowVersion[]
  /** The database lacked entries that this process had committed, so the chain has a gap before these: it was cut, or restored. */
  readonly isBehindCut: boolean
}

export type AuditListener = (commit: AuditCommit) => void

/** A lock between the processes of one database. It ends when it is released, and with the process or its connection. */
export interface StoreLock {
  /** Throws `StoreUnavailable` when the lock is lost: another process may have it. */
  check(): Promise<void>
  release(): Promise<void>
}

/**
 * Runs a transaction that deletes one page of old rows until nothing is left or `stop` is aborted. Returns the number of deleted rows. One page a
 * transaction, so that a long sweep does not hold up other writes.
 */
export async function deleteInPages(
  store: Pick<Store, 'write'>,
  deletePage: TransactionFunction<{ readonly before: number }, number>,
  before: number,
  stop?: AbortSignal,
): Promise<number> {
  let deleted = 0
  for (let page = 0; page < maxDeletePages && stop?.aborted !== true; page++) {
    const rows = await store.write(deletePage, { before })
    deleted += rows
    if (rows === 0) return deleted
  }
  return deleted
}

const maxDeletePages = 10_000

/** There is no disk space to write. Nothing was done, and reads still work. */
export class StoreFull extends Error {}

/** More writes are waiting than may wait; nothing was done. */
export class StoreOverloaded extends Error {}

/** The store did not answer; nothing was done. */
export class StoreUnavailable extends Error {}

/** The database responds, and another session holds a lock that a change of the schema needs. */
export class StoreLocked extends StoreUnavailable {}

/** The database responds and refuses the connection or the work: waiting does not help, the person who runs the service has to correct something. */
export class StoreRefused extends StoreUnavailable {
  readonly refusal: StoreRefusal

  constructor(refusal: StoreRefusal, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.refusal = refusal
  }
}

/**
 * Nobody can know which server has the acknowledged writes: two of them accept writes, or the only one is older than the one that was followed last. It ends
 * when the older one steps down, or when an operator chooses (`tessera store choose-primary`).
 */
export class PrimaryRefused extends StoreUnavailable {
  readonly reason: 'two_primaries' | 'older_primary'

  constructor(reason: PrimaryRefused['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** `login`: user, password or pg_hba.conf; `database`: it does not exist; `rights`: the user may not do what the service does. */
export type StoreRefusal = 'login' | 'database' | 'rights'

/** The database is damaged, or is not one; nothing was done, and waiting does not help. The message names its file or server. */
export class StoreDamaged extends StoreUnavailable {
  /** What to do, one or more sentences. */
  readonly advice: string

  constructor(message: string, advice: string, options: ErrorOptions = {}) {
    super(message, options)
    this.advice = advice
  }
}

/** The store was lost while committing: the write may or may not be durable. */
export class StoreOutcomeUnknown extends Error {}
