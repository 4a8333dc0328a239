import type { OnlyMembersOf, Read, TransactionFunction, WriteResult } from './transaction.ts'

/**
 * The service's database: SQLite or PostgreSQL, with one suite for both. `read(findCard(key))` runs a query, `write(updateCard, { … })` runs a
 * transaction; queries and transactions are exported by the file of their table.
 *
 * A write resolves only when it is durable. It is stored as a whole, with its audit entry, events and idempotency record, or not at all. Errors:
 * `StoreFull`, `StoreOverloaded`, `StoreUnavailable` (nothing was written) and `StoreOutcomeUnknown`.
 */
export interface Store {
  /** What an acknowledged write survives: `local` one machine's crash (fsync), `replicated` the loss of that machine. */
  readonly durability: 'local' | 'replicated'
  /** Resolves when the store can be read; throws `StoreUnavailable` when it cannot. For `/readyz`. */
  ping(): Promise<void>
  /** Waits at most `deadlineMs` for the writes in progress, then closes. */
  close(deadlineMs: number): Promise<void>
  read<T>(query: Read<T>): Promise<T>
  /** Takes the lock of this name for this process; null when another process has it. */
  tryLock(name: string): Promise<StoreLock | null>
  /** The result includes `duplicate_request` only when the input has an idempotency record. */
  write<I, T, X extends I>(transaction: TransactionFunction<I, T>, input: X & OnlyMembersOf<I, X>): Promise<WriteResult<T, X>>
}

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

/** The store was lost while committing: the write may or may not be durable. */
export class StoreOutcomeUnknown extends Error {}
