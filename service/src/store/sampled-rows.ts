import { readBytes, RowBroken, type Columns } from './columns.ts'
import { keyNames } from './row-pages.ts'
import { makeStatement, sql, type Row } from './statement.ts'
import type { Table } from './table.ts'
import type { Read } from './transaction.ts'

/** The first and the last rows of a table in the order of its key. A row that cannot be read is left out. */
export function sampleRows<R>(
  table: Pick<Table<Columns>, 'name' | 'fields' | 'columns'> & { readonly fromRow: (row: Row) => R },
  count: number,
  order: 'first' | 'last',
): Read<R[]> {
  const keys = keyNames(table).map((name) => `${name} ${order === 'first' ? 'asc' : 'desc'}`)
  const statement = makeStatement(`select ${table.columns} from ${table.name} order by ${keys.join(', ')} limit $1`)
  return { statement, values: [count], map: (rows) => rows.flatMap((row) => readable(row, table.fromRow)) }
}

function readable<R>(row: Row, fromRow: (row: Row) => R): R[] {
  try {
    return [fromRow(row)]
  } catch (err) {
    if (err instanceof RowBroken) return []
    throw err
  }
}

const selectAuditMacs = sql`select mac from audit order by chain desc, seq desc limit $1`
const selectCardMacs = sql`select mac from cards order by bucket, card_id limit $1`

/** The MACs of rows in the audit, and of cards: columns that every version of the schema has. Those without a MAC are left out. */
export function sampleMacs(of: 'audit' | 'cards', count: number): Read<Uint8Array[]> {
  return {
    statement: of === 'audit' ? selectAuditMacs : selectCardMacs,
    values: [count],
    map: (rows) => rows.map((row) => readBytes(row, 'mac')).filter((mac) => mac.length > 0),
  }
}
