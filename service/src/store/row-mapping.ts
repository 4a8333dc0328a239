import type { MacField } from '@tessera/vault/rowmac'

import { type Column, type MacPart, RowMacColumn } from './columns.ts'
import type { Row, Value } from './statement.ts'

// The mappers are compiled once per table, so that they are as fast as written by hand: a loop over the columns takes three to twenty times as
// long (docs/decisions/0034-column-maps.md). Their text holds names from the column maps and from our own statements only.

/** A column of a table, by the name of its member. */
export interface MappedField {
  readonly member: string
  readonly name: string
  readonly column: Column<unknown>
}

/** Builds a row from the values that a query returns as an array: 1 µs less than by a loop over the names, in each point read. */
export function compileToRow(names: readonly string[]): (values: readonly Value[]) => Row {
  const members = names.map((name, at) => `${JSON.stringify(name)}: values[${at}]`)
  return compile([], `(values) => ({ ${members.join(', ')} })`, []) as (values: readonly Value[]) => Row
}

export function compileFromRow(fields: readonly MappedField[]): (row: Row) => unknown {
  const members = fields.map(({ member, name }, at) => `${expectName(member)}: read${at}(row.${expectName(name)}, '${name}')`)
  return compile(
    fields.map((_field, at) => `read${at}`),
    `(row) => ({ ${members.join(', ')} })`,
    fields.map(({ column }) => column.read),
  ) as (row: Row) => unknown
}

export function compileToValues(fields: readonly MappedField[]): (row: unknown) => Value[] {
  const values = fields.map(({ member, column }, at) =>
    column.write === null ? `row.${expectName(member)}` : `write${at}(row.${expectName(member)})`,
  )
  return compile(
    fields.map((_field, at) => `write${at}`),
    `(row) => [${values.join(', ')}]`,
    fields.map(({ column }) => column.write),
  ) as (row: unknown) => Value[]
}

/** Null without a MAC. Throws when a column is neither covered nor left out with a reason. */
export function compileMacFields(table: string, fields: readonly MappedField[]): ((row: unknown) => readonly MacField[]) | null {
  const parts = macPartsOf(table, fields)
  if (parts === null) return null
  const columns = new Map(fields.map(({ member, column }) => [member, column]))
  const values = parts.map((part) => (typeof part === 'string' ? columns.get(part)?.macFieldsOf : part.constant))
  const expressions = parts.map((part, at) => {
    if (typeof part !== 'string') return `value${at}`
    return values[at] === null ? `row.${expectName(part)}` : `...value${at}(row.${expectName(part)})`
  })
  return compile(
    parts.map((_part, at) => `value${at}`),
    `(row) => [${expressions.join(', ')}]`,
    values,
  ) as (row: unknown) => readonly MacField[]
}

function macPartsOf(table: string, fields: readonly MappedField[]): readonly MacPart[] | null {
  const [mac] = fields.flatMap(({ column }) => (column instanceof RowMacColumn ? [column] : []))
  const others = fields.filter(({ column }) => column !== mac)
  const leftOut = others.filter(({ column }) => column.notCoveredBecause !== null).map(({ member }) => member)
  if (mac === undefined) {
    if (leftOut.length > 0) throw new Error(`${table} has no MAC, and says that ${leftOut.join(', ')} is left out of it`)
    return null
  }
  const expected = others.map(({ member }) => member).filter((member) => !leftOut.includes(member))
  const parts = mac.order ?? expected
  const covered = parts.filter((part) => typeof part === 'string')
  const missing = expected.filter((member) => !covered.includes(member))
  if (missing.length > 0) throw new Error(`the MAC of ${table} neither covers ${missing.join(', ')} nor says why not`)
  const wrong = covered.filter((member, at) => !expected.includes(member) || covered.indexOf(member) !== at)
  if (wrong.length > 0) throw new Error(`the MAC of ${table} cannot cover ${wrong.join(', ')}: unknown, left out, or covered twice`)
  return parts
}

function compile(parameters: readonly string[], expression: string, values: readonly unknown[]): unknown {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- from the column maps of this folder, once a table
  const make = new Function(...parameters, `'use strict'; return ${expression}`) as (...values: readonly unknown[]) => unknown
  return make(...values)
}

function expectName(name: string): string {
  if (!/^[a-z]\w*$/i.test(name)) throw new Error(`${name} is not a column name`)
  return name
}
