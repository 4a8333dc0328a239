// Rows on their way from SQLite to PostgreSQL, in one form for both: each value as the text that PostgreSQL writes for it. Two rows are equal when
// their texts are.

/** A value of a row: a number in decimal digits, a text as it is, bytes as `\x` and lower hex digits. */
export type MovedValue = string | null
export type MovedRow = readonly MovedValue[]

/** A table of the embedded database, as SQLite describes it. */
export interface MovedTable {
  readonly name: string
  readonly columns: readonly MovedColumn[]
  /** The columns of its primary key, in their order there. */
  readonly keys: readonly MovedColumn[]
}

export interface MovedColumn {
  readonly name: string
  readonly type: 'integer' | 'text' | 'blob'
}

/** What a value of SQLite is as text. Throws for a number that is not whole, which no column of ours has. */
export function toMovedValue(value: unknown): MovedValue {
  if (value === null) return null
  if (typeof value === 'string') return value
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  throw new Error('a column has a value that is no whole number, text or bytes')
}

/** The text as a value of SQLite. */
export function toSqliteValue(value: MovedValue, { type }: MovedColumn): bigint | string | Uint8Array | null {
  if (value === null || type === 'text') return value
  return type === 'integer' ? BigInt(value) : Buffer.from(value.slice(2), 'hex')
}

/** The values of the key, in the order of the key. */
export function movedKeyOf({ columns, keys }: MovedTable, row: MovedRow): MovedRow {
  return keys.map((key) => row[columns.indexOf(key)] ?? null)
}

/** What distinguishes a row among those of its table. */
export function keyText(key: MovedRow): string {
  return JSON.stringify(key)
}

export function isSameRow(one: MovedRow | undefined, other: MovedRow | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.length === other.length && one.every((value, at) => value === other[at])
}

/** An identifier in SQL, the same in both. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Comma-separated identifiers. */
export function quoteNames(columns: readonly MovedColumn[]): string {
  return columns.map(({ name }) => quoteName(name)).join(', ')
}

/**
 * Tables that stay where they are: the schema's own, and the request log, which on SQLite is a file of its own. `request_log` is that of older versions.
 */
export const unmovedTables: ReadonlySet<string> = new Set(['migrations', 'request_log', 'request_segments', 'primary_epoch'])

/** On PostgreSQL: refuses every write to a table of a store that was moved back. */
export const movedTriggerName = 'store_move_refuse'
export const refuseFunction = `
  create or replace function store_move_refuse() returns trigger language plpgsql as
  $body$ begin raise exception 'store_moved: this database is not in charge' using errcode = '55000'; end $body$`
