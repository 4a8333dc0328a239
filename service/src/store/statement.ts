import { createHash } from 'node:crypto'

/** A value in a statement or a row, the same in both stores: a boolean is 0 or 1, a timestamp is unix milliseconds. */
export type Value = string | number | null | Uint8Array

export type Row = Readonly<Record<string, Value>>

/** One SQL statement that both stores understand, with placeholders `$1`, `$2`, … Created once, when its module is loaded. */
export interface Statement {
  /** Name of the prepared statement: a hash of its text, so that two versions of the program never share one by mistake. */
  readonly name: string
  readonly text: string
  /** The same for several rows at once, which PostgreSQL gets where several transactions share a COMMIT. */
  readonly many?: StatementForMany
}

/** A statement that does for each of several rows what another one does for one. */
export interface StatementForMany {
  /** Gets an array of each of the first values. */
  readonly statement: Statement
  /** How many of the values of the statement for one row it gets. */
  readonly columns: number
  /** The columns of the rows that it returns by which they are distinguished: the first values, in their order. Empty when nobody reads its rows. */
  readonly key: readonly string[]
}

/** Makes a statement. Only our own SQL may be interpolated, never a value. */
export function sql(strings: TemplateStringsArray, ...fragments: readonly (string | number)[]): Statement {
  return makeStatement(String.raw({ raw: strings.raw }, ...fragments))
}

/** Makes a statement from composed text. */
export function makeStatement(source: string): Statement {
  const text = source.replace(/\s+/g, ' ').trim()
  const statement = Object.freeze({ name: createHash('sha256').update(text).digest('hex').slice(0, 16), text })
  made.set(statement.name, statement)
  return statement
}

/**
 * A condition on the owner of a row that the rest of the condition finds by its key. No index serves it: PostgreSQL takes bucket and merchant for two
 * independent conditions, expects a row at most, and would read all rows of the merchant by another index than that of the key (decision 80).
 */
export function isOwnedBy(merchant: string, column = 'merchant_id'): string {
  return `${column} || '' = ${merchant}`
}

const made = new Map<string, Statement>()

/** Every statement that was made so far: a test reads the plan of each. */
export function listStatements(): readonly Statement[] {
  return [...made.values()]
}

/** A statement with its form for many rows. */
export function withMany(
  statement: Statement,
  source: string,
  { columns, key = [] }: { columns: number; key?: readonly string[] },
): Statement {
  return Object.freeze({ ...statement, many: Object.freeze({ statement: makeStatement(source), columns, key }) })
}

/** `$1, $2, … $count`, or as many from `first` on. */
export function placeholders(count: number, first = 1): string {
  return Array.from({ length: count }, (_, at) => `$${at + first}`).join(', ')
}
