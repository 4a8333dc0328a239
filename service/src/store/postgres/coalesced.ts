import { auditTable } from '../audit.ts'
import { cardsTable } from '../cards.ts'
import { makeStatement, type Value } from '../statement.ts'
import type { Columns } from '../columns.ts'
import type { RowOf, Table } from '../table.ts'
import type { Step } from './pipelined-query.ts'

/** Inserts many cards with one statement. */
export const insertCards = insertOfMany(cardsTable)

/** Inserts many audit entries with one statement. */
export const insertAuditEntries = insertOfMany(auditTable)

function insertOfMany<C extends Columns>({ name, names, types, columns, toValues }: Table<C>): (rows: readonly RowOf<Table<C>>[]) => Step {
  const arrays = types.map((type, at) => `$${at + 1}::${type}[]`)
  const statement = makeStatement(`insert into ${name} (${columns}) select * from unnest(${arrays.join(', ')})`)
  return (rows) => ({ statement, values: byColumn(rows.map(toValues), names.length) })
}

function byColumn(rows: readonly (readonly Value[])[], columns: number): Value[][] {
  return Array.from({ length: columns }, (_, at) => rows.map((row) => row[at] ?? null))
}
