import { bigint, integer, oneOf, readInteger, readText, text, timestamp } from './columns.ts'
import { type Row, type Value, sql } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { deletedRowsMax, type Read, type Transaction, run } from './transaction.ts'

// The request log of the versions before it had a store of its own, a row a call. Its rows are moved into segments (ops/request-log/move-former.ts); a
// process of such a version may still write some during a rolling update. The table goes with the next breaking migration.

// prettier-ignore
export const formerRequestLogTable = table('request_log', {
  bucket:     integer().key(),
  merchantId: text().key(),
  at:         timestamp().key(),
  requestId:  text().key(),
  method:     text(),
  profile:    oneOf('spec', 'subscribe'),
  code:       integer(),
  reason:     text(),
  micros:     bigint(),
  caller:     oneOf('server', 'browser', 'unproved'),
  cardId:     text(),
  lost:       bigint(),
  lostFrom:   timestamp(),
  bytes:      integer(),
  detail:     text(),
}, 'shown and counted only: nothing is decided by these rows')

/** A call as the former table has it. */
export type FormerRequestRow = RowOf<typeof formerRequestLogTable>

export type FormerRequestKey = Pick<FormerRequestRow, 'bucket' | 'merchantId' | 'at' | 'requestId'>

/** A row that may be unreadable although its key is not. */
export interface ListedFormerRequest extends FormerRequestKey {
  /** Throws for a row that this service never wrote. */
  readonly read: () => FormerRequestRow
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const selectFirst = sql`
  select ${formerRequestLogTable.columns} from request_log order by bucket, merchant_id, at, request_id limit ${deletedRowsMax}`

/** A page of rows in the order of the primary key: as many as one transaction may delete. */
export function listFormerRequests(): Read<ListedFormerRequest[]> {
  return { statement: selectFirst, values: [], map: (rows) => rows.map(toListed) }
}

function toListed(row: Row): ListedFormerRequest {
  return {
    bucket: readInteger(row, 'bucket'),
    merchantId: readText(row, 'merchant_id'),
    at: readInteger(row, 'at'),
    requestId: readText(row, 'request_id'),
    read: () => formerRequestLogTable.fromRow(row),
  }
}

const deleteUpTo = sql`
  delete from request_log where bucket = $1 and merchant_id = $2 and (at, request_id) <= ($3, $4) returning at`

/** Deletes the rows of one merchant up to and including one. Returns how many. */
export function* deleteFormerRequests({ last }: { readonly last: FormerRequestKey }): Transaction<number> {
  const values: Value[] = [last.bucket, last.merchantId, last.at, last.requestId]
  return (yield* run(deleteUpTo, values)).length
}
