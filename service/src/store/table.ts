import type { MacField } from '@tessera/vault/rowmac'

import { type Column, type Columns, type ColumnType, RowMacColumn } from './columns.ts'
import { compileFromRow, compileMacFields, compileToValues } from './row-mapping.ts'
import { type Row, type Statement, type Value, makeStatement, placeholders } from './statement.ts'

/**
 * Describes a table once: the members of its rows, their columns, order and types. Statements and mapping derive from it.
 *
 *     const cardsTable = table('cards', { bucket: integer().key(), cardId: text().key(), customer: quotedText().nullable(), … })
 *     type CardRow = RowOf<typeof cardsTable>
 *
 * Rows bear a MAC (`mac: rowMac()`), or `noMacBecause` says what binds them instead, or that they decide nothing.
 */
export function table<C extends Columns>(name: string, columns: C, noMacBecause: string | null = null): Table<C> {
  const fields = Object.entries(columns).map(([member, column]) => ({ member, column, name: column.columnName ?? snakeCase(member) }))
  const names = fields.map((field) => field.name)
  const keys = fields.filter(({ column }) => column.isKey).map((field) => field.name)
  const where = keys.map((key, at) => `${key} = $${at + 1}`).join(' and ')
  const changing = names.slice(keys.length)
  const setSql = `set ${changing.map((column, at) => `${column} = $${keys.length + at + 1}`).join(', ')}`
  const insertSql = `insert into ${name} (${names.join(', ')}) values (${placeholders(names.length)})`
  const types = fields.map(({ column }) => column.type)
  const insertRowsSql = `insert into ${name} (${names.join(', ')}) select * from unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})`
  let insert: Statement | null = null
  let insertNew: Statement | null = null
  let insertNewRows: Statement | null = null
  let update: Statement | null = null
  const hasMac = Object.values(columns).some((column) => column instanceof RowMacColumn)
  if (hasMac === (noMacBecause !== null)) throw new Error(`${name} needs either a MAC or a reason why its rows have none`)
  return {
    name,
    names,
    fields: fields.map(({ member, name: columnName, column }) => ({
      member,
      name: columnName,
      type: column.type,
      isKey: column.isKey,
      isCovered: hasMac && column.notCoveredBecause === null && !(column instanceof RowMacColumn),
    })),
    keys: fields.filter(({ column }) => column.isKey).map(({ member }) => member),
    noMacBecause,
    columns: names.join(', '),
    insertSql,
    insertRowsSql,
    replaceSql: `set ${changing.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    get insertStatement() {
      return (insert ??= makeStatement(insertSql))
    },
    get insertNewStatement() {
      return (insertNew ??= makeStatement(`${insertSql} on conflict do nothing`))
    },
    get insertNewRowsStatement() {
      return (insertNewRows ??= makeStatement(`${insertRowsSql} on conflict do nothing`))
    },
    get updateStatement() {
      return (update ??= makeStatement(`update ${name} ${setSql} where ${where} and version = $${names.length + 1} returning version`))
    },
    fromRow: compileFromRow(fields),
    toValues: compileToValues(fields),
    macFields: compileMacFields(name, fields),
  } as unknown as Table<C>
}

/** The type of a table's rows. */
export type RowOf<T> = T extends Table<infer C> ? { readonly [K in keyof C]: C[K] extends Column<infer V> ? V : never } : never

export interface Table<C extends Columns> {
  readonly name: string
  /** The columns' names, in order. */
  readonly names: readonly string[]
  readonly fields: readonly TableField[]
  /** The members of the primary key. */
  readonly keys: readonly string[]
  /** Why rows of this table bear no MAC; null when they bear one. */
  readonly noMacBecause: string | null
  /** The same, for a statement. */
  readonly columns: string
  /** `insert into … values …`, with the values of `toValues`. */
  readonly insertSql: string
  readonly insertStatement: Statement
  /** The same for a row that may exist already: then it stays as it is. */
  readonly insertNewStatement: Statement
  /** Inserts many rows on PostgreSQL, with an array of values a column. */
  readonly insertRowsSql: string
  /** The same for rows of which some may exist already. */
  readonly insertNewRowsStatement: Statement
  /** `set … = excluded.…` for `on conflict … do update`: every column but the key. */
  readonly replaceSql: string
  /** Replaces version `$n - 1` of a row; the values of `toValues`, then the version before. For tables with a version. */
  readonly updateStatement: Statement
  /** Throws `RowBroken` for a value that this service never wrote. */
  fromRow(this: void, row: Row): RowOf<Table<C>>
  /** The values of a row, in the order of the columns. */
  toValues(this: void, row: RowOf<Table<C>>): Value[]
  /** What the MAC of a row covers, in its order; null for a table without one. */
  readonly macFields: HasRowMac<C> extends true ? (this: void, row: RowOf<Table<C>>) => readonly MacField[] : null
}

/** A column as tests go through them. */
export interface TableField {
  readonly member: string
  readonly name: string
  readonly type: ColumnType
  readonly isKey: boolean
  /** Whether the row's MAC covers it. */
  readonly isCovered: boolean
}

type HasRowMac<C extends Columns> = true extends { [K in keyof C]: C[K] extends RowMacColumn ? true : false }[keyof C] ? true : false

function snakeCase(member: string): string {
  return member.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
}
