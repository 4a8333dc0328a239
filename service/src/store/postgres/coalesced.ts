import { auditTable } from '../audit.ts'
import { cardsTable } from '../cards.ts'
import { makeStatement, type Value } from '../statement.ts'
import type { Columns } from '../columns.ts'
import type { RowOf, Table } from '../table.ts'
import type { TransactionStep } from '../transaction.ts'
import type { Step } from './pipelined-query.ts'

/** Inserts many cards with one statement. */
export const insertCards = insertOfMany(cardsTable)

/** Inserts many audit entries with one statement. */
export const insertAuditEntries = insertOfMany(auditTable)

/** Makes one statement of a transaction's step for many rows. */
export function forAllRows({ of, rows }: Extract<TransactionStep, { kind: 'rows' }>): Step {
  return { statement: of.ofAll, values: byColumn(rows) }
}

function insertOfMany<C extends Columns>({ insertRowsSql, toValues }: Table<C>): (rows: readonly RowOf<Table<C>>[]) => Step {
  const statement = makeStatement(insertRowsSql)
  return (rows) => ({ statement, values: byColumn(rows.map(toValues)) })
}

/** The values of rows, of which there is at least one, as an array for each column. */
function byColumn(rows: readonly (readonly Value[])[]): Value[][] {
  return Array.from({ length: rows[0]?.length ?? 0 }, (_, at) => rows.map((row) => row[at] ?? null))
}
