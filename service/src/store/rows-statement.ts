import type { Columns } from './columns.ts'
import { type Row, type Statement, type Value, makeStatement } from './statement.ts'
import { keyCondition, type RowOf, type Table } from './table.ts'

/** What is done to many rows: SQLite runs `ofOne` for each of them, PostgreSQL `ofAll` once, whose values are arrays, one a placeholder. */
export interface RowsStatement {
  readonly ofOne: Statement
  readonly ofAll: Statement
}

/** Replaces some columns of many rows of a table, each of version `version - 1`. */
export interface RowsUpdate<R> {
  readonly of: RowsStatement
  /** The primary key and the columns, in the order of the placeholders. */
  readonly toValues: (row: R) => Value[]
  /** The primary key as text, of a row and of one that a statement returned. */
  readonly keyOf: (row: R) => string
  readonly keyOfRow: (row: Row) => string
}

/**
 * Makes the update of some columns; `version` is one of them. Naming only what changes saves SQLite the entries of every index on the other columns.
 *
 *     const reseal = makeRowsUpdate(cardsTable, 'version', 'keyId', 'blob', 'mac')
 */
export function makeRowsUpdate<C extends Columns>(table: Table<C>, ...members: readonly (keyof C & string)[]): RowsUpdate<RowOf<Table<C>>> {
  const keys = table.fields.filter(({ isKey }) => isKey)
  const changing = table.fields.filter(({ member }) => members.some((name) => name === member))
  const fields = [...keys, ...changing]
  const places = fields.map(({ name }) => table.names.indexOf(name))
  const version = fields.findIndex(({ member }) => member === 'version') + 1
  if (version === 0) throw new Error(`an update of ${table.name} has to name the version`)
  const names = fields.map(({ name }) => name)
  const ofOne = `
    update ${table.name} set ${changing.map(({ name }, at) => `${name} = $${keys.length + at + 1}`).join(', ')}
    where ${keys.map((key, at) => keyCondition(key, key.name, `$${at + 1}`)).join(' and ')} and version = $${version} - 1
    returning ${keys.map(({ name }) => name).join(', ')}`
  const ofAll = `
    update ${table.name} set ${changing.map(({ name }) => `${name} = changed.${name}`).join(', ')}
    from unnest(${fields.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ')}) as changed (${names.join(', ')})
    where ${keys.map((key) => keyCondition(key, `${table.name}.${key.name}`, `changed.${key.name}`)).join(' and ')} and ${table.name}.version = changed.version - 1
    returning ${keys.map(({ name }) => `${table.name}.${name}`).join(', ')}`
  return {
    of: { ofOne: makeStatement(ofOne), ofAll: makeStatement(ofAll) },
    toValues: (row) => {
      const values = table.toValues(row)
      return places.map((place) => values[place] ?? null)
    },
    keyOf: (row) => table.keyValues(row).join(' '),
    keyOfRow: (row) => keys.map(({ name }) => row[name]).join(' '),
  }
}
