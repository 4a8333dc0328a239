import { type Row, type Statement, type Value, makeStatement, placeholders } from './statement.ts'

/**
 * Describes a table once: the members of its rows, their columns, order and types. Statements and mapping derive from it.
 *
 *     const cardsTable = table('cards', { bucket: integer().key(), cardId: text().key(), customer: quotedText().nullable(), … })
 *     type CardRow = RowOf<typeof cardsTable>
 */
export function table<C extends Columns>(name: string, columns: C): Table<C> {
  const fields = Object.entries(columns).map(([member, column]) => ({ member, column, name: column.columnName ?? snakeCase(member) }))
  const names = fields.map((field) => field.name)
  const keys = fields.filter(({ column }) => column.isKey).map((field) => field.name)
  const where = keys.map((key, at) => `${key} = $${at + 1}`).join(' and ')
  const changing = names.slice(keys.length)
  const setSql = `set ${changing.map((column, at) => `${column} = $${keys.length + at + 1}`).join(', ')}`
  const insertSql = `insert into ${name} (${names.join(', ')}) values (${placeholders(names.length)})`
  let insert: Statement | null = null
  let update: Statement | null = null
  return {
    name,
    names,
    columns: names.join(', '),
    types: fields.map(({ column }) => column.type),
    insertSql,
    replaceSql: `set ${changing.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    get insertStatement() {
      return (insert ??= makeStatement(insertSql))
    },
    get updateStatement() {
      return (update ??= makeStatement(`update ${name} ${setSql} where ${where} and version = $${names.length + 1} returning version`))
    },
    fromRow: compileFromRow(fields),
    toValues: compileToValues(fields),
    macCoverage: Object.fromEntries(fields.map(({ member, column }) => [member, column.notCoveredBecause ?? 'covered'])),
  } as unknown as Table<C>
}

/** The type of a table's rows. */
export type RowOf<T> = T extends Table<infer C> ? { readonly [K in keyof C]: C[K] extends Column<infer V> ? V : never } : never

export interface Table<C extends Columns> {
  readonly name: string
  /** The columns' names, in order. */
  readonly names: readonly string[]
  /** The same, for a statement. */
  readonly columns: string
  /** PostgreSQL's types of the columns. */
  readonly types: readonly ColumnType[]
  /** `insert into … values …`, with the values of `toValues`. */
  readonly insertSql: string
  readonly insertStatement: Statement
  /** `set … = excluded.…` for `on conflict … do update`: every column but the key. */
  readonly replaceSql: string
  /** Replaces version `$n - 1` of a row; the values of `toValues`, then the version before. For tables with a version. */
  readonly updateStatement: Statement
  /** Throws `RowBroken` for a value that this service never wrote. */
  fromRow(this: void, row: Row): RowOf<Table<C>>
  /** The values of a row, in the order of the columns. */
  toValues(this: void, row: RowOf<Table<C>>): Value[]
  /** Of each member `covered`, or why the row's MAC leaves it out. */
  readonly macCoverage: { readonly [K in keyof C]: string }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a column of whatever type
export type Columns = Readonly<Record<string, Column<any>>>
type ColumnType = 'text' | 'integer' | 'bigint' | 'smallint' | 'bytea'
type ReadValue<T> = (value: Value | undefined, column: string) => T

/** One column: its type, and how its values are read and written. */
export class Column<T> {
  readonly type: ColumnType
  readonly read: ReadValue<T>
  /** Null when the value is stored as it is. */
  readonly write: ((value: T) => Value) | null
  readonly columnName: string | null
  readonly isKey: boolean
  readonly notCoveredBecause: string | null

  constructor(
    type: ColumnType,
    read: ReadValue<T>,
    write: ((value: T) => Value) | null = null,
    { columnName = null, isKey = false, notCoveredBecause = null }: ColumnOptions = {},
  ) {
    this.type = type
    this.read = read
    this.write = write
    this.columnName = columnName
    this.isKey = isKey
    this.notCoveredBecause = notCoveredBecause
  }

  /** Part of the primary key. Key columns come first. */
  key(): Column<T> {
    return this.#with({ isKey: true })
  }

  nullable(): Column<T | null> {
    const { read, write } = this
    const writeOrNull = write === null ? null : (value: T | null) => (value === null ? null : write(value))
    return new Column<T | null>(this.type, (value, column) => (value === null ? null : read(value, column)), writeOrNull, this)
  }

  /** A column whose name is not the member's in snake case. */
  named(columnName: string): Column<T> {
    return this.#with({ columnName })
  }

  /** Left out of the row's MAC, and why. */
  notCovered(notCoveredBecause: string): Column<T> {
    return this.#with({ notCoveredBecause })
  }

  #with(options: ColumnOptions): Column<T> {
    const { columnName, isKey, notCoveredBecause } = this
    return new Column(this.type, this.read, this.write, { columnName, isKey, notCoveredBecause, ...options })
  }
}

interface Field {
  readonly member: string
  readonly name: string
  readonly column: Column<unknown>
}

interface ColumnOptions {
  readonly columnName?: string | null
  readonly isKey?: boolean
  readonly notCoveredBecause?: string | null
}

/** Text of our own. Text from outside is `quotedText`. */
export function text(): Column<string> {
  return new Column('text', toText)
}

/** Text from outside, stored as a JSON string: it may hold U+0000, which PostgreSQL's text cannot. */
export function quotedText(): Column<string> {
  return new Column('text', toQuoted, quote)
}

/** One of these words. */
export function oneOf<const W extends string>(...words: readonly W[]): Column<W> {
  return new Column<W>('text', (value, column) => words.find((word) => word === value) ?? broken(column))
}

/** A whole number that a double holds exactly. */
export function integer(): Column<number> {
  return new Column('integer', toInteger)
}

/** The same in eight bytes. */
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

/** The row's MAC. It covers every other column of the table, unless `notCovered` says why not. */
export function rowMac(): Column<Uint8Array> {
  return bytes().notCovered('it is the MAC')
}

/** Text or a number with a check of its own. */
export function checked<T extends Value, V extends T>(of: Column<T>, isValid: (value: T) => value is V): Column<V> {
  const read = (value: Value | undefined, column: string): V => {
    const found = of.read(value, column)
    return isValid(found) ? found : broken(column)
  }
  return new Column<V>(of.type, read)
}

/** Text that is mapped to a value; `parse` returns null for a text that this service never wrote. */
export function mappedText<T extends object>(parse: (stored: string) => T | null, format: (value: T) => string): Column<T> {
  return new Column('text', (value, column) => parse(toText(value, column)) ?? broken(column), format)
}

/** A stored row is not what was written: a damaged disk, or somebody who writes the database. Names the column, never its content. */
export class RowBroken extends Error {
  readonly column: string

  constructor(column: string) {
    super(`a stored row is broken at column ${column}`)
    this.column = column
  }
}

/** A text from outside as `quotedText` stores it. */
export function quote(outside: string): string {
  return JSON.stringify(outside)
}

// Columns of a row that is not a whole row of a table.

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

function snakeCase(member: string): string {
  return member.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
}

// The mappers are compiled once a table, so that they are as fast as written by hand: a loop over the columns takes about three times as long.
// Their text holds names from the column maps only.

function compileFromRow(fields: readonly Field[]): (row: Row) => unknown {
  const members = fields.map(({ member, name }, at) => `${expectName(member)}: read${at}(row.${expectName(name)}, '${name}')`)
  return compile(
    fields.map((_field, at) => `read${at}`),
    `(row) => ({ ${members.join(', ')} })`,
    fields.map(({ column }) => column.read),
  ) as (row: Row) => unknown
}

function compileToValues(fields: readonly Field[]): (row: unknown) => Value[] {
  const values = fields.map(({ member, column }, at) => (column.write === null ? `row.${member}` : `write${at}(row.${member})`))
  return compile(
    fields.map((_field, at) => `write${at}`),
    `(row) => [${values.join(', ')}]`,
    fields.map(({ column }) => column.write),
  ) as (row: unknown) => Value[]
}

function compile(parameters: readonly string[], expression: string, values: readonly unknown[]): unknown {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- from the column maps of this folder, once a table
  const make = new Function(...parameters, `'use strict'; return ${expression}`) as (...values: readonly unknown[]) => unknown
  return make(...values)
}

function expectName(name: string): string {
  if (!/^[a-z]\w*$/i.test(name)) throw new Error(`${name} is no name of a column`)
  return name
}
