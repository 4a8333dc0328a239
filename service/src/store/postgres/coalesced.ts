import { entryColumns, entryValues } from '../questions/audit.ts'
import { cardColumns, cardValues } from '../questions/cards.ts'
import { makeStatement } from '../statement.ts'
import type { Statement, Value } from '../statement.ts'
import type { AuditEntry, CardRow } from '../store.ts'
import type { Step } from './flight.ts'

/** Inserts many cards with one statement. */
export function askCards(cards: readonly CardRow[]): Step {
  return { statement: insertCards, values: byColumn(cards.map(cardValues), cardColumns.length) }
}

/** Inserts many audit entries with one statement. */
export function askEntries(entries: readonly AuditEntry[]): Step {
  return { statement: insertEntries, values: byColumn(entries.map(entryValues), entryColumns.length) }
}

function manyOf(table: string, columns: readonly string[], types: Readonly<Record<string, string>>): Statement {
  const arrays = columns.map((column, at) => `$${at + 1}::${types[column] ?? 'text'}[]`)
  return makeStatement(`insert into ${table} (${columns.join(', ')}) select * from unnest(${arrays.join(', ')})`)
}

function byColumn(rows: readonly (readonly Value[])[], columns: number): Value[][] {
  return Array.from({ length: columns }, (_, at) => rows.map((row) => row[at] ?? null))
}

const insertCards = manyOf('cards', cardColumns, {
  ...{ bucket: 'integer', version: 'integer', recurrent: 'smallint', verified: 'smallint' },
  ...{ token_hash: 'bytea', blob: 'bytea', mac: 'bytea' },
  ...{ created_at: 'bigint', verified_at: 'bigint', ends_at: 'bigint', ended_at: 'bigint' },
})

const insertEntries = manyOf('audit', entryColumns, { seq: 'bigint', at: 'bigint', version: 'bigint', hash: 'bytea', mac: 'bytea' })
