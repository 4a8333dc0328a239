import { bigint, integer, oneOf, readInteger, readText, text, timestamp } from './columns.ts'
import type { MerchantKey } from './merchants.ts'
import { type Row, type Statement, type Value, sql } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type TimeCursor, type Transaction, insertNewRows, run } from './transaction.ts'

// The request log (docs/decisions/0099-request-log-store.md): on PostgreSQL a partitioned table, on the embedded store a database of its own.

// prettier-ignore
export const requestSegmentsTable = table('request_segments', {
  bucket:        integer().key(),
  merchantId:    text().key(),
  lastAt:        timestamp().key(),              // of its newest call
  lastId:        text().key(),                   // the request id of that call
  firstAt:       timestamp(),                    // of its oldest call, in the same hour
  caller:        oneOf('server', 'browser', 'unproved'),
  calls:         integer(),
  errors:        integer(),                      // how many of them failed
  gaps:          integer(),                      // how many of its rows are no calls, but stand for calls that were not recorded
  slowestMicros: bigint(),
  body:          text(),                         // the calls as JSON, oldest first
}, 'shown and counted only: nothing is decided by these rows')

/** Calls of one merchant, one kind of caller and one hour. */
export type RequestSegment = RowOf<typeof requestSegmentsTable>
export type RequestCaller = RequestSegment['caller']

/** A segment without its calls. */
export interface RequestSegmentHead {
  readonly lastAt: number
  readonly lastId: string
  readonly calls: number
  /** Whether it may have calls that a filter wants. */
  readonly isHit: boolean
}

/** What the segments of a list have in common with the calls that it wants. */
export interface SegmentCondition {
  /** Texts that occur in the JSON of such calls: at most two are compared. */
  readonly needles: readonly string[]
  readonly minErrors: number
  readonly minResults: number
  readonly minMicros: number
}

export interface SegmentListQuery extends MerchantKey, SegmentCondition {
  /** The list continues behind this segment. */
  readonly behind: TimeCursor
  /** Segments that begin later are left out. */
  readonly latest: number
  /** Segments that end earlier are left out. */
  readonly from: number
  readonly count: number
}

/** Inserts segments; one that was inserted before, by an attempt whose outcome was unknown, stays as it is. */
export function* insertRequestSegments({ segments }: { readonly segments: readonly RequestSegment[] }): Transaction<void> {
  yield* insertNewRows(requestSegmentsTable, segments)
}

const ofMerchant = 'bucket = $1 and merchant_id = $2'
const headsOf = `${ofMerchant} and (last_at, last_id) < ($3, $4) and first_at <= $5 and last_at >= $6`
const counted = 'gaps > 0 or (errors >= $8 and calls - errors >= $9 and slowest_micros >= $10'
const newestFirst = 'order by last_at desc, last_id desc'

const selectHeads = sql`
  select last_at, last_id, calls, case when ${counted}) then 1 else 0 end as hit
  from request_segments where ${headsOf} ${newestFirst} limit $7`

// Apart, because it reads the calls.
const searchHeads = sql`
  select last_at, last_id, calls, case when ${counted} and body like $11 and body like $12) then 1 else 0 end as hit
  from request_segments where ${headsOf} ${newestFirst} limit $7`

/** A merchant's segments, newest first. */
export function listSegmentHeads(query: SegmentListQuery): Read<RequestSegmentHead[]> {
  const { bucket, merchantId, behind, latest, from, count, needles, minErrors, minResults, minMicros } = query
  const values = [bucket, merchantId, behind.at, behind.id, latest, from, count, minErrors, minResults, minMicros]
  if (needles.length === 0) return { statement: selectHeads, values, map: toHeads }
  const [first = '', second = ''] = needles
  return { statement: searchHeads, values: [...values, patternOf(first), patternOf(second)], map: toHeads }
}

function toHeads(rows: readonly Row[]): RequestSegmentHead[] {
  return rows.map((row) => ({
    lastAt: readInteger(row, 'last_at'),
    lastId: readText(row, 'last_id'),
    calls: readInteger(row, 'calls'),
    isHit: readInteger(row, 'hit') === 1,
  }))
}

/** Finds more than the text where it has `%`, `_` or a backslash: a segment that was found is searched again, call by call. */
function patternOf(needle: string): string {
  return needle === '' ? '%' : `%${needle.replaceAll('\\', '_')}%`
}

const selectSegment = sql`
  select ${requestSegmentsTable.columns} from request_segments where ${ofMerchant} and last_at = $3 and last_id = $4`

export function findSegment({ bucket, merchantId }: MerchantKey, { at, id }: TimeCursor): Read<RequestSegment | null> {
  return { statement: selectSegment, values: [bucket, merchantId, at, id], map: toSegment }
}

const selectWithId = sql`
  select ${requestSegmentsTable.columns} from request_segments
  where ${ofMerchant} and last_at >= $3 and first_at <= $4 and last_at < $5 and body like $6 order by last_at, last_id limit 1`

/** The first segment with a request id, of those with calls between two times. */
export function findSegmentWithId(
  { bucket, merchantId }: MerchantKey,
  { requestId, from, to }: { readonly requestId: string; readonly from: number; readonly to: number },
): Read<RequestSegment | null> {
  return { statement: selectWithId, values: [bucket, merchantId, from, to, to + HOUR_MS, patternOf(`"${requestId}"`)], map: toSegment }
}

function toSegment([row]: readonly Row[]): RequestSegment | null {
  return row === undefined ? null : requestSegmentsTable.fromRow(row)
}

// The sum runs over the merchant's segments: a hundred calls each, where there are many calls.
const selectBeyond = sql`
  select last_at, last_id from (
    select last_at, last_id, sum(calls) over (order by last_at desc, last_id desc) - calls as newer
    from request_segments where ${ofMerchant} and caller = $3) as summed
  where newer >= $4 order by last_at desc, last_id desc limit 1`

/** The calls of a merchant by one kind of caller. */
export interface CallerCalls extends MerchantKey {
  readonly caller: RequestCaller
}

/** The newest segment behind the newest `keep` calls of this kind of caller; null when there is none. */
export function findSegmentBeyond({ bucket, merchantId, caller, keep }: CallerCalls & { readonly keep: number }): Read<TimeCursor | null> {
  return {
    statement: selectBeyond,
    values: [bucket, merchantId, caller, keep],
    map: ([row]) => (row === undefined ? null : { at: readInteger(row, 'last_at'), id: readText(row, 'last_id') }),
  }
}

/** A statement that deletes one page of segments and returns how many calls were in each. */
export interface SegmentDeletion {
  readonly statement: Statement
  readonly values: readonly Value[]
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const pageSize = 200

const deleteBeyond = sql`
  delete from request_segments where (bucket, merchant_id, last_at, last_id) in
    (select bucket, merchant_id, last_at, last_id from request_segments
      where ${ofMerchant} and caller = $3 and (last_at, last_id) <= ($4, $5) order by last_at, last_id limit ${pageSize})
  returning calls`

/** Deletes segments of one kind of caller, up to and including one. */
export function deleteSegmentsBeyond({ bucket, merchantId, caller }: CallerCalls, upTo: TimeCursor): SegmentDeletion {
  return { statement: deleteBeyond, values: [bucket, merchantId, caller, upTo.at, upTo.id] }
}

const deleteAll = sql`
  delete from request_segments where (bucket, merchant_id, last_at, last_id) in
    (select bucket, merchant_id, last_at, last_id from request_segments where ${ofMerchant} order by last_at, last_id limit ${pageSize})
  returning calls`

export function deleteSegmentsOf({ bucket, merchantId }: MerchantKey): SegmentDeletion {
  return { statement: deleteAll, values: [bucket, merchantId] }
}

const deleteBefore = sql`
  delete from request_segments where (bucket, merchant_id, last_at, last_id) in
    (select bucket, merchant_id, last_at, last_id from request_segments where last_at / ${3_600_000} < cast($1 as bigint)
      order by last_at / ${3_600_000} limit ${pageSize})
  returning calls`

/** Deletes segments of the hours before the one of `before`, along the index of the embedded database. PostgreSQL drops partitions instead. */
export function deleteSegmentsBefore(before: number): SegmentDeletion {
  return { statement: deleteBefore, values: [Math.floor(before / HOUR_MS)] }
}

/** Runs a deletion as a transaction. Returns how many calls were deleted. */
export function* deleteRequestSegments({ statement, values }: SegmentDeletion): Transaction<number> {
  return sumOfCalls(yield* run(statement, values))
}

export function sumOfCalls(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + readInteger(row, 'calls'), 0)
}

/** A segment has the calls of one hour, so that none is in two partitions, and the calls before a time are in the segments that end in its hour or before. */
export const HOUR_MS = 3_600_000
