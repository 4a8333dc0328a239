import type { MacField } from '@tessera/vault/rowmac'

import type { Row, Value } from './statement.ts'

// The kinds of columns in a table's column map (table.ts).

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a column of whatever type
export type Columns = Readonly<Record<string, Column<any>>>
export type ColumnType = 'text' | 'integer' | 'bigint' | 'smallint' | 'bytea'
type ReadValue<T> = (value: Value | undefined, column: string) => T

/** One column: its type, and how its values are read and written. */
export class Column<T> {
  readonly type: ColumnType
  readonly read: ReadValue<T>
  /** Null when the value is stored as it is. */
  readonly write: ((value: T) => Value) | null
  readonly columnName: string | null
  readonly isKey: boolean
  /** Whether it is the owner of a row that the other key columns find. */
  readonly isOwner: boolean
  readonly notCoveredBecause: string | null
  /** What the row's MAC covers of a value; null: the value itself. */
  readonly macFieldsOf: ((value: T) => readonly MacField[]) | null
  /** By what the audit knows the newest version of the row; null for columns that do not say it. */
  readonly freshness: Freshness | null

  constructor(
    type: ColumnType,
    read: ReadValue<T>,
    write: ((value: T) => Value) | null = null,
    {
      columnName = null,
      isKey = false,
      isOwner = false,
      notCoveredBecause = null,
      macFieldsOf = null,
      freshness = null,
    }: ColumnOptions<T> = {},
  ) {
    this.type = type
    this.read = read
    this.write = write
    this.columnName = columnName
    this.isKey = isKey
    this.isOwner = isOwner
    this.notCoveredBecause = notCoveredBecause
    this.macFieldsOf = macFieldsOf
    this.freshness = freshness
  }

  /** Part of the primary key. Key columns come first. */
  key(): Column<T> {
    return this.#with({ isKey: true })
  }

  /** Part of the key that callers give, and not of the primary key: the merchant of a row that the other key columns find. */
  owner(): Column<T> {
    return this.#with({ isKey: true, isOwner: true })
  }

  nullable(): Column<T | null> {
    const { read, write, macFieldsOf } = this
    const writeOrNull = write === null ? null : (value: T | null) => (value === null ? null : write(value))
    const macFieldsOrNull = macFieldsOf === null ? null : (value: T | null) => (value === null ? [null] : macFieldsOf(value))
    const options = { ...this.#options(), macFieldsOf: macFieldsOrNull }
    return new Column<T | null>(this.type, (value, column) => (value === null ? null : read(value, column)), writeOrNull, options)
  }

  /** A column whose name is not the member's in snake case. */
  named(columnName: string): Column<T> {
    return this.#with({ columnName })
  }

  /** Left out of the row's MAC, and why. */
  notCovered(notCoveredBecause: string): Column<T> {
    return this.#with({ notCoveredBecause })
  }

  /** Covered by the row's MAC as these fields. */
  coveredAs(macFieldsOf: (value: T) => readonly MacField[]): Column<T> {
    return this.#with({ macFieldsOf })
  }

  /**
   * The row's version, from 1: each change adds one, and its audit entry has the version, with the value of this member as its subject. An older version
   * that is put back is refused (domain/freshness).
   */
  versionOf(member: string): Column<T> {
    return this.#with({ freshness: { member, isExact: false, versionOf: Number } })
  }

  /** The same for a row whose version is read from this column, of a kind of which every look reads the audit to its end. */
  versionAs(member: string, versionOf: (value: T) => number): Column<T> {
    return this.#with({ freshness: { member, isExact: true, versionOf: versionOf as (value: unknown) => number } })
  }

  /** The id of a row that is never used again once the audit has version 2 of it: when the row ends, with this id as the subject. */
  endsOnce(member: string): Column<T> {
    return this.#with({ freshness: { member, isExact: true, versionOf: () => 1 } })
  }

  #with(options: ColumnOptions<T>): Column<T> {
    return new Column(this.type, this.read, this.write, { ...this.#options(), ...options })
  }

  #options(): ColumnOptions<T> {
    const { columnName, isKey, isOwner, notCoveredBecause, macFieldsOf, freshness } = this
    return { columnName, isKey, isOwner, notCoveredBecause, macFieldsOf, freshness }
  }
}

/** The column of a row's MAC. */
export class RowMacColumn extends Column<Uint8Array> {
  /** The covered members and constants, in order; null: all covered members in the order of the map. */
  readonly order: readonly MacPart[] | null

  constructor(order: readonly MacPart[] | null) {
    super('bytea', toBytes)
    this.order = order
  }
}

/** A member, or a constant that has always been part of the MAC. */
export type MacPart = string | { readonly constant: MacField }

interface ColumnOptions<T> {
  readonly columnName?: string | null
  readonly isKey?: boolean
  readonly isOwner?: boolean
  readonly notCoveredBecause?: string | null
  readonly macFieldsOf?: ((value: T) => readonly MacField[]) | null
  readonly freshness?: Freshness | null
}

/** By what the audit knows the newest version of a row. */
export interface Freshness {
  /** The member that is the subject of its audit entries; bytes as hex. */
  readonly member: string
  /** Whether the audit is read to its end before each look: for rows that are looked at seldom and give access. */
  readonly isExact: boolean
  readonly versionOf: (value: unknown) => number
}

/** Text that this service wrote. Text from outside is `quotedText`. */
export function text(): Column<string> {
  return new Column('text', toText)
}

/** Text from outside, stored as a JSON string: it may hold U+0000, which PostgreSQL's text cannot. */
export function quotedText(): Column<string> {
  return new Column('text', toQuoted, quote)
}

/** One of these values. */
export function oneOf<const W extends string>(...allowed: readonly W[]): Column<W> {
  return new Column<W>('text', (value, column) => allowed.find((each) => each === value) ?? broken(column))
}

/**
 * One of these values in a column that the row's MAC covers. Any other text is read as it is, so that the row reaches the comparison of its MAC, which
 * refuses it with an alarm, and does not hide the other rows of a list.
 */
export function oneOfByMac<const W extends string>(..._allowed: readonly W[]): Column<W> {
  return new Column<W>('text', (value, column) => toText(value, column) as W)
}

/** One of these values; any other text is read as `otherwise`. */
export function oneOfOr<const W extends string>(otherwise: W, ...allowed: readonly W[]): Column<W> {
  return new Column<W>('text', (value) => allowed.find((each) => each === value) ?? otherwise)
}

/** A whole number that a double holds exactly. */
export function integer(): Column<number> {
  return new Column('integer', toInteger)
}

/**
 * From 1; each change adds one. Of a table whose rows had a MAC before they had a version: the MAC covers it from 2, so that the rows from before stay
 * valid. It is the last covered column of its map, but for those that are covered while they are set (`coveredIfSet`).
 */
export function rowVersion(): Column<number> {
  return integer().coveredAs((version) => (version === 1 ? [] : [version]))
}

/**
 * What the MAC covers of a text column that was added to a table whose rows had a MAC before: nothing while it is empty, so that those rows stay valid.
 * The name keeps two such columns apart. They are the last covered columns of their map.
 */
export function coveredIfSet(name: string): (value: string) => readonly MacField[] {
  return (value) => (value === '' ? [] : [name, value])
}

/** The same for a number: nothing while it is 0. */
export function coveredIfNotZero(name: string): (value: number) => readonly MacField[] {
  return (value) => (value === 0 ? [] : [name, value])
}

/** A whole number in eight bytes. */
export function bigint(): Column<number> {
  return new Column('bigint', toInteger)
}

/** Unix milliseconds. */
export const timestamp = bigint

/** Stored as 0 or 1. */
export function boolean(): Column<boolean> {
  return new Column('smallint', toBoolean, Number)
}

export function bytes(): Column<Uint8Array> {
  return new Column('bytea', toBytes)
}

/**
 * The row's MAC. It covers every other column of the table in the order of the map, except those marked `notCovered`. An explicit `order` is for
 * tables whose stored MACs have another order; it has to name every covered column. Covering one more column invalidates the MACs of all rows.
 */
export function rowMac(...order: readonly MacPart[]): RowMacColumn {
  return new RowMacColumn(order.length === 0 ? null : order)
}

/** Text or a number with a check of its own. */
export function checked<T extends Value, V extends T>(of: Column<T>, isValid: (value: T) => value is V): Column<V> {
  const read = (value: Value | undefined, column: string): V => {
    const found = of.read(value, column)
    return isValid(found) ? found : broken(column)
  }
  return new Column<V>(of.type, read)
}

/** Text that is mapped to a value; `parse` returns null for a text that this service never wrote. A MAC covers the text. */
export function mappedText<T extends object>(parse: (stored: string) => T | null, format: (value: T) => string): Column<T> {
  const read = (value: Value | undefined, column: string): T => parse(toText(value, column)) ?? broken(column)
  return new Column('text', read, format, { macFieldsOf: (value) => [format(value)] })
}

/** A stored row is not what was written: a damaged disk, or somebody who writes the database. Names the column, never its content. */
export class RowBroken extends Error {
  readonly column: string

  constructor(column: string) {
    super(`a stored row is broken at column ${column}`)
    this.column = column
  }
}

/** Text from outside in the form that `quotedText` stores. */
export function quote(value: string): string {
  return JSON.stringify(value)
}

// For rows that are not whole rows of a table.

export function readText(row: Row, column: string): string {
  return toText(row[column], column)
}

export function readInteger(row: Row, column: string): number {
  return toInteger(row[column], column)
}

export function readBytes(row: Row, column: string): Uint8Array {
  return toBytes(row[column], column)
}

export function readColumn<T>(row: Row, column: string, type: Column<T>): T {
  return type.read(row[column], column)
}

function toText(value: Value | undefined, column: string): string {
  return typeof value === 'string' ? value : broken(column)
}

function toInteger(value: Value | undefined, column: string): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : broken(column)
}

function toBoolean(value: Value | undefined, column: string): boolean {
  return value === 1 || (value === 0 ? false : broken(column))
}

function toBytes(value: Value | undefined, column: string): Uint8Array {
  return value instanceof Uint8Array ? value : broken(column)
}

function toQuoted(value: Value | undefined, column: string): string {
  try {
    const read: unknown = JSON.parse(toText(value, column))
    return typeof read === 'string' ? read : broken(column)
  } catch {
    return broken(column)
  }
}

function broken(column: string): never {
  throw new RowBroken(column)
}
