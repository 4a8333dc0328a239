import { text, oneOf, integer, bigint, timestamp, readText, readInteger } from './columns.ts'
import { table, type RowOf } from './table.ts'
import type { MerchantKey } from './merchants.ts'
import { type Row, sql } from './statement.ts'
import { type Read, type TimeCursor, type Transaction, insertNewRows, run } from './transaction.ts'

// prettier-ignore
const listColumns = {
  bucket:     integer(),
  merchantId: text(),
  at:         timestamp(),                       // when the response was sent
  requestId:  text(),
  method:     text(),                            // '' for an unknown method
  profile:    oneOf('spec', 'subscribe'),
  code:       integer(),                         // of the error; 0 for a result
  reason:     text(),
  micros:     bigint(),                          // thousandths of a millisecond
  caller:     oneOf('server', 'browser', 'unproved'),
  cardId:     text(),                            // '' for a call without a card
  lost:       bigint(),                          // above 0 the row is no call, but stands for this many calls of `caller` that were not recorded for `reason`, the first at `lostFrom`
  lostFrom:   timestamp(),
}

/** The columns of a list. */
export const requestLogTable = table('request_log', listColumns, 'shown and counted only: nothing is decided by these rows')

/** One API call in its merchant's request log, already redacted. */
export type RequestRow = RowOf<typeof requestLogTable>

/** All columns. */
// prettier-ignore
export const detailedRequestTable = table('request_log', {
  ...listColumns,
  bytes:      integer(),
  detail:     text(),                            // JSON, of bounded length
}, 'shown and counted only: nothing is decided by these rows')

/** A call with the details that only its own page shows. */
export type DetailedRequestRow = RowOf<typeof detailedRequestTable>

export interface RequestListQuery extends MerchantKey {
  /** `id` is the request id. */
  readonly after: TimeCursor | null
  readonly from: number
  readonly count: number
  /** Null for all calls, with and without a card. */
  readonly cardId: string | null
}

/** Inserts records; an existing one is not changed. */
export function* insertRequests({ requests }: { readonly requests: readonly DetailedRequestRow[] }): Transaction<void> {
  yield* insertNewRows(detailedRequestTable, requests)
}

const selectNewest = sql`
  select ${requestLogTable.columns} from request_log where bucket = $1 and merchant_id = $2 and (at, request_id) < ($3, $4) and at >= $5
  order by at desc, request_id desc limit $6`

// The condition of the partial index, so that it is used.
const selectOfCard = sql`
  select ${requestLogTable.columns} from request_log where bucket = $1 and merchant_id = $2 and card_id <> '' and card_id = $7
    and (at, request_id) < ($3, $4) and at >= $5
  order by at desc, request_id desc limit $6`

/** A merchant's calls after the cursor, newest first by (at, requestId). */
export function listRequests({ bucket, merchantId, after, from, count, cardId }: RequestListQuery): Read<RequestRow[]> {
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
  const values = [bucket, merchantId, at, id, from, count]
  const map = (rows: readonly Row[]): RequestRow[] => rows.map(requestLogTable.fromRow)
  return cardId === null ? { statement: selectNewest, values, map } : { statement: selectOfCard, values: [...values, cardId], map }
}

const selectOne = sql`
  select ${detailedRequestTable.columns} from request_log where bucket = $1 and merchant_id = $2 and request_id = $3 limit 1`

export function findRequest({
  bucket,
  merchantId,
  requestId,
}: MerchantKey & { readonly requestId: string }): Read<DetailedRequestRow | null> {
  return {
    statement: selectOne,
    values: [bucket, merchantId, requestId],
    map: ([row]) => (row === undefined ? null : detailedRequestTable.fromRow(row)),
  }
}

// The caller as a range and in the order: for an equation the planner may take the primary key, and read all calls of the other callers.
const selectBehind = sql`
  select at, request_id from request_log where bucket = $1 and merchant_id = $2 and caller >= $3 and caller <= $3
  order by caller desc, at desc, request_id desc limit 1 offset $4`

/** The calls of a merchant by one kind of caller. */
export interface CallerCalls extends MerchantKey {
  readonly caller: RequestRow['caller']
}

/** The newest record beyond the newest `keep` ones of this kind of caller; null when there are no more. */
export function findRequestBehindNewest({
  bucket,
  merchantId,
  caller,
  keep,
}: CallerCalls & { readonly keep: number }): Read<TimeCursor | null> {
  return {
    statement: selectBehind,
    values: [bucket, merchantId, caller, keep],
    map: ([row]) => (row === undefined ? null : { at: readInteger(row, 'at'), id: readText(row, 'request_id') }),
  }
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const pageSize = 500

const deleteOfMerchant = sql`
  delete from request_log where (bucket, merchant_id, at, request_id) in
    (select bucket, merchant_id, at, request_id from request_log
      where bucket = $1 and merchant_id = $2 and caller >= $3 and (caller, at, request_id) <= ($3, $4, $5)
      order by caller, at, request_id limit ${pageSize})
  returning at`

/** Deletes a page of a merchant's records of one kind of caller, up to and including a cursor; returns how many. */
export function* deleteMerchantRequests({
  bucket,
  merchantId,
  caller,
  upTo,
}: CallerCalls & { readonly upTo: TimeCursor }): Transaction<number> {
  return (yield* run(deleteOfMerchant, [bucket, merchantId, caller, upTo.at, upTo.id])).length
}

const deleteOld = sql`
  delete from request_log where (bucket, merchant_id, at, request_id) in
    (select bucket, merchant_id, at, request_id from request_log where at / 3600000 < cast($1 as bigint) order by at / 3600000
      limit ${pageSize})
  returning at`

/** Deletes a page of the records before the hour of `before`; returns how many. */
export function* deleteOldRequests({ before }: { readonly before: number }): Transaction<number> {
  return (yield* run(deleteOld, [Math.floor(before / HOUR_MS)])).length
}

const HOUR_MS = 3_600_000
