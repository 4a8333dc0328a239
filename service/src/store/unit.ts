import type { Row, Statement, Value } from './statement.ts'
import type { AuditNote } from './store.ts'

/**
 * A write question: a generator that asks statements, notes what it did for the audit, and returns its answer. SQLite drives it without
 * waiting, PostgreSQL waits between the steps; so each question is written once. All that it asked is kept together, or not at all.
 */
export type Unit<T> = Generator<Step, T, readonly Row[]>

export type Step =
  | { readonly kind: 'ask'; readonly statement: Statement; readonly values: readonly Value[] }
  | { readonly kind: 'note'; readonly note: AuditNote }
  | { readonly kind: 'undo' }

/** Asks a statement for its rows. */
export function* rows(statement: Statement, values: readonly Value[]): Unit<readonly Row[]> {
  return yield { kind: 'ask', statement, values }
}

/** Asks a statement for its first row, or null. */
export function* one(statement: Statement, values: readonly Value[]): Unit<Row | null> {
  const found = yield { kind: 'ask', statement, values }
  return found[0] ?? null
}

/** Puts an entry into the audit chain of whoever writes this unit. */
export function* note(entry: AuditNote): Unit<void> {
  yield { kind: 'note', note: entry }
}

/** Undoes all that the unit did; it may still return an answer, and should do so at once. */
export function* undo(): Unit<void> {
  yield { kind: 'undo' }
}

/** A read question: one statement, and how its rows are told. */
export interface Read<T> {
  readonly statement: Statement
  readonly values: readonly Value[]
  readonly tell: (found: readonly Row[]) => T
}
