import type { MacField } from '@tessera/vault/rowmac'

import { type Column, type Columns, type ColumnType, RowMacColumn } from './columns.ts'
import { compileFromRow, compileMacFields, compileToValues } from './row-mapping.ts'
import { isOwnedBy, type Row, type Statement, type Value, makeStatement, placeholders } from './statement.ts'

/**
 * Describes a table once: the members of its rows, their columns, order and types. Statements and mapping derive from it.
 *
 *     const cardsTable = table('cards', { bucket: integer().key(), cardId: text().key(), customer: quotedText().nullable(), … })
 *     type CardRow = RowOf<typeof cardsTable>
 *
 * Rows bear a MAC (`mac: rowMac()`), or `noMacBecause` says what binds them instead, or that they decide nothing. `unmapped` names columns of the table
 * that statements write and no row holds, each with the reason why no MAC covers it.
 */
export function table<C extends Columns>(
  name: string,
  columns: C,
  noMacBecause: string | null = null,
  unmapped: Readonly<Record<string, string>> = {},
): Table<C> {
  const fields = Object.entries(columns).map(([member, column]) => ({ member, column, name: column.columnName ?? snakeCase(member) }))
  const names = fields.map((field) => field.name)
  const keyFields = fields.filter(({ column }) => column.isKey)
  const keys = keyFields.map((field) => field.name)
  const where = keyFields.map(({ column, name: key }, at) => keyCondition(column, key, `$${at + 1}`)).join(' and ')
  const changing = names.slice(keys.length)
  const setSql = `set ${changing.map((column, at) => `${column} = $${keys.length + at + 1}`).join(', ')}`
  const insertSql = `insert into ${name} (${names.join(', ')}) values (${placeholders(names.length)})`
  const types = fields.map(({ column }) => column.type)
  const insertRowsSql = `insert into ${name} (${names.join(', ')}) select * from unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})`
  let insert: Statement | null = null
  let insertNew: Statement | null = null
  let insertNewRows: Statement | null = null
  let update: Statement | null = null
  let select: Statement | null = null
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
      isOwner: column.isOwner,
      isCovered: hasMac && column.notCoveredBecause === null && !(column instanceof RowMacColumn),
    })),
    keys: fields.filter(({ column }) => column.isKey).map(({ member }) => member),
    noMacBecause,
    unmapped,
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
    versionOf: versionReader(fields),
    isExact: fields.some(({ column }) => column.freshness?.isExact === true),
    get selectStatement() {
      return (select ??= makeStatement(`select ${names.join(', ')} from ${name} where ${where}`))
    },
    keyValues: (row: object) => fields.filter(({ column }) => column.isKey).map((field) => valueOf(field, row)),
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
  /** Columns of the table that are in no row, and why no MAC covers them. */
  readonly unmapped: Readonly<Record<string, string>>
  /** The names, for a statement. */
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
  /** Reads by what the audit knows the newest version of a row; null where a row put back as it was is not noticed. */
  readonly versionOf: ((this: void, row: RowOf<Table<C>>) => RowVersion) | null
  /** Whether the audit is read to its end before a row is compared with its newest version. */
  readonly isExact: boolean
  /** Reads a row by its primary key, with the values of `keyValues`. */
  readonly selectStatement: Statement
  keyValues(this: void, row: RowOf<Table<C>>): Value[]
}

/** The subject of a row's audit entries, and the version that the row has. */
export interface RowVersion {
  readonly subject: string
  readonly version: number
}

/** A column as tests go through them. */
export interface TableField {
  readonly member: string
  readonly name: string
  readonly type: ColumnType
  readonly isKey: boolean
  /** Whether it is in the key and not in the primary key. */
  readonly isOwner: boolean
  /** Whether the row's MAC covers it. */
  readonly isCovered: boolean
}

type HasRowMac<C extends Columns> = true extends { [K in keyof C]: C[K] extends RowMacColumn ? true : false }[keyof C] ? true : false

/** That a column of the key has this value. */
export function keyCondition({ isOwner }: { readonly isOwner: boolean }, name: string, value: string): string {
  return isOwner ? isOwnedBy(value, name) : `${name} = ${value}`
}

function snakeCase(member: string): string {
  return member.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
}

interface NamedColumn {
  readonly member: string
  readonly column: Column<unknown>
}

/** Compiled nowhere: two members are read, as often as a MAC is compared. */
function versionReader(fields: readonly NamedColumn[]): ((row: object) => RowVersion) | null {
  const versioned = fields.find(({ column }) => column.freshness !== null)
  const freshness = versioned?.column.freshness ?? null
  if (versioned === undefined || freshness === null) return null
  const { member } = versioned
  return (row) => {
    const values = row as Readonly<Record<string, unknown>>
    return { subject: subjectText(values[freshness.member]), version: freshness.versionOf(values[member]) }
  }
}

/** A value as the subject of an audit entry. */
export function subjectText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
}

function valueOf({ member, column }: NamedColumn, row: object): Value {
  const value = (row as Readonly<Record<string, unknown>>)[member]
  return column.write === null ? (value as Value) : column.write(value)
}
