import { text, oneOf, integer, timestamp } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { movementKinds } from './operations.ts'
import { sql, withMany } from './statement.ts'
import { type Read, type Transaction, runOne } from './transaction.ts'

// prettier-ignore
export const sandboxLedgerTable = table('sandbox_ledger', {
  requestId:   text().key(),
  kind:        oneOf(...movementKinds),
  merchantId:  text(),
  amountTiyin: integer(),
  networkRef:  text(),                         // of its authorization; an authorization has its own
  outcome:     oneOf('approved', 'declined'),
  reason:      text(),
  at:          timestamp(),
}, 'test environment only: the card network of the sandbox')

/** One money movement in the ledger of the sandbox network. */
export type LedgerRow = RowOf<typeof sandboxLedgerTable>

const ifNew = 'on conflict (request_id) do nothing returning request_id'

const insertRow = withMany(sql`${sandboxLedgerTable.insertSql} ${ifNew}`, `${sandboxLedgerTable.insertRowsSql} ${ifNew}`, {
  columns: sandboxLedgerTable.names.length,
  key: ['request_id'],
})

/** Inserts a movement. Returns false and changes nothing when there is one with this requestId. */
export function* insertLedgerEntry(row: LedgerRow): Transaction<boolean> {
  return (yield* runOne(insertRow, sandboxLedgerTable.toValues(row))) !== null
}

const selectOne = sql`select ${sandboxLedgerTable.columns} from sandbox_ledger where request_id = $1`

/** The ledger belongs to the sandbox network, as if that were outside: it never shares a transaction with our own rows. */
export function findLedgerEntry(requestId: string): Read<LedgerRow | null> {
  return { statement: selectOne, values: [requestId], map: ([row]) => (row === undefined ? null : sandboxLedgerTable.fromRow(row)) }
}

const selectOfRef = sql`select ${sandboxLedgerTable.columns} from sandbox_ledger where network_ref = $1 order by at, request_id`

/** The movements of one authorization, oldest first. */
export function listLedgerEntries(networkRef: string): Read<LedgerRow[]> {
  return { statement: selectOfRef, values: [networkRef], map: (rows) => rows.map(sandboxLedgerTable.fromRow) }
}
