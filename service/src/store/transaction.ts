import type { Row, Statement, Value } from './statement.ts'
import type { Columns } from './columns.ts'
import type { AuditChange } from './audit-changes.ts'
import type { RowsStatement, RowsUpdate } from './rows-statement.ts'
import type { RowOf, Table } from './table.ts'

/** A query: one statement, its values, and how its rows are mapped. */
export interface Read<T> {
  readonly statement: Statement
  readonly values: readonly Value[]
  readonly map: (rows: readonly Row[]) => T
}

/**
 * A transaction: a generator that runs statements, writes audit entries and returns its result. SQLite drives it synchronously in its worker
 * thread, PostgreSQL awaits each step, so every transaction is written once. Either all that it wrote is committed, or nothing.
 */
export type Transaction<T> = Generator<TransactionStep, T, readonly Row[]>

/** An exported generator function of a table file. Its name is unique: the worker thread of SQLite finds it by that name. */
export type TransactionFunction<I, T> = (input: I) => Transaction<T>

/** The result of `withExtras` when another request holds the idempotency key; nothing was written. */
export type DuplicateRequest = 'duplicate_request'

/** The result of a transaction with this input: only an input with an idempotency record can be a duplicate request. */
export type WriteResult<T, X> = 'idempotency' extends keyof X
  ? X['idempotency'] extends null | undefined
    ? Exclude<T, DuplicateRequest>
    : T
  : Exclude<T, DuplicateRequest>

/** Rejects members that the input does not have, so that a misspelt extra is a compile error. */
export type OnlyMembersOf<I, X> = { readonly [K in Exclude<keyof X, keyof I>]: never }

export type TransactionStep =
  /** `isDeferred`: nobody reads its rows, so PostgreSQL gets it together with the next statement whose rows are read, or with COMMIT. */
  | { readonly kind: 'run'; readonly statement: Statement; readonly values: readonly Value[]; readonly isDeferred?: true }
  /** The same statement for many rows; the step returns the rows of all. */
  | { readonly kind: 'rows'; readonly of: RowsStatement; readonly rows: readonly (readonly Value[])[]; readonly isDeferred?: true }
  | { readonly kind: 'audit'; readonly entry: AuditEntry }
  | { readonly kind: 'rollback' }

/** Rows that a background job deletes in one transaction: some milliseconds of the disk, for which a call waits once at most (decision 81). */
export const deletedRowsMax = 100

/** Runs a statement and returns its rows. */
export function* run(statement: Statement, values: readonly Value[]): Transaction<readonly Row[]> {
  return yield { kind: 'run', statement, values }
}

/** Runs a statement whose result nobody needs, without a round trip of its own. If it fails, the transaction does. */
export function* execute(statement: Statement, values: readonly Value[]): Transaction<void> {
  yield { kind: 'run', statement, values, isDeferred: true }
}

/** Runs a statement and returns its first row, or null. */
export function* runOne(statement: Statement, values: readonly Value[]): Transaction<Row | null> {
  const found = yield { kind: 'run', statement, values }
  return found[0] ?? null
}

/** Inserts a row. */
export function* insertRow<C extends Columns>(table: Table<C>, row: RowOf<Table<C>>): Transaction<void> {
  yield { kind: 'run', statement: table.insertStatement, values: table.toValues(row), isDeferred: true }
}

/** Inserts rows; one that exists already stays as it is. PostgreSQL inserts them with one statement. */
export function* insertNewRows<C extends Columns>(table: Table<C>, rows: readonly RowOf<Table<C>>[]): Transaction<void> {
  const of = { ofOne: table.insertNewStatement, ofAll: table.insertNewRowsStatement }
  yield { kind: 'rows', of, rows: rows.map(table.toValues), isDeferred: true }
}

/** Replaces version `row.version - 1`. Returns false when another change came first. */
export function* updateRow<C extends Columns>(table: Table<C>, row: RowOf<Table<C>> & { readonly version: number }): Transaction<boolean> {
  const updated = yield { kind: 'run', statement: table.updateStatement, values: [...table.toValues(row), row.version - 1] }
  return updated.length > 0
}

/** Runs a statement for many rows whose result nobody needs. */
export function* executeForRows(of: RowsStatement, rows: readonly (readonly Value[])[]): Transaction<void> {
  yield { kind: 'rows', of, rows, isDeferred: true }
}

/** Replaces version `row.version - 1` of each row. Returns those that were replaced: another change came first for the others. */
export function* updateRows<R>({ of, toValues, keyOf, keyOfRow }: RowsUpdate<R>, rows: readonly R[]): Transaction<readonly R[]> {
  const updated = new Set((yield { kind: 'rows', of, rows: rows.map(toValues) }).map(keyOfRow))
  return rows.filter((row) => updated.has(keyOf(row)))
}

/** Appends an entry to the audit chain of the connection that runs this transaction. */
export function* writeAudit(entry: AuditEntry): Transaction<void> {
  yield { kind: 'audit', entry }
}

/**
 * Appends an entry of version 2 without a MAC for each row that ended, so that its row is refused when it is put back. The user who acted is in `audit`, the
 * entry of the action, which has the same request id; so a list of people's actions has one line.
 */
export function* auditEnds(action: string, subjects: readonly string[], { at, merchantId, requestId }: AuditEntry): Transaction<void> {
  for (const subject of subjects) {
    const end = { subject, version: 2, mac: new Uint8Array(0), outcome: 'done' }
    yield* writeAudit({ at, actor: 'system', action, merchantId, requestId, ...end })
  }
}

/** Undoes everything that the transaction wrote. Returns `result`, which the transaction must return at once. */
export function* rollback<T>(result: T): Transaction<T> {
  yield { kind: 'rollback' }
  return result
}

/** What happened: ids and codes, never a PAN, token, SMS code or phone. A row of the table `audit` without its link. */
export interface AuditEntry {
  readonly at: number
  /** `merchant:<id>`, `user:<id>`, `operator`, `system`. */
  readonly actor: string
  readonly action: string
  readonly merchantId: string
  /** Id of the card, key or other object. */
  readonly subject: string
  /** Version and row MAC of the row after the action; 0 and empty without a row. */
  readonly version: number
  readonly mac: Uint8Array
  /** As in our log. */
  readonly requestId: string
  readonly outcome: string
  /** The caller's address; absent for background jobs and operators. */
  readonly address?: string
  readonly changes?: readonly AuditChange[]
}

/** A merchant and the bucket of its rows. */
export interface MerchantKey {
  readonly bucket: number
  readonly merchantId: string
}

/** The last row of a page of a list by time: the next page continues after it. */
export interface TimeCursor {
  readonly at: number
  readonly id: string
}
