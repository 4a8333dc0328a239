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

/** Inserts the rows of a transaction's step with one statement. */
export function insertNewRowsAtOnce({ table, rows }: Extract<TransactionStep, { kind: 'insertNew' }>): Step {
  return { statement: table.insertNewRowsStatement, values: byColumn(rows) }
}

function insertOfMany<C extends Columns>({ insertRowsSql, toValues }: Table<C>): (rows: readonly RowOf<Table<C>>[]) => Step {
  const statement = makeStatement(insertRowsSql)
  return (rows) => ({ statement, values: byColumn(rows.map(toValues)) })
}

/** The values of rows, of which there is at least one, as an array for each column. */
function byColumn(rows: readonly (readonly Value[])[]): Value[][] {
  return Array.from({ length: rows[0]?.length ?? 0 }, (_, at) => rows.map((row) => row[at] ?? null))
}
