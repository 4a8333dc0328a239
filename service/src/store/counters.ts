import type { MerchantKey } from './merchants.ts'
import { sql } from './statement.ts'
import { integer, readInteger, readText, text } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type Transaction, rollback, run, runOne, deletedRowsMax } from './transaction.ts'

// prettier-ignore
export const countersTable = table('tallies', {
  bucket:     integer().key(),
  merchantId: text().key(),
  hour:       integer().key(),  // hours since 1970, UTC; 0 for the count of all time
  name:       text().key(),     // one of our own names
  count:      integer(),
}, 'shown and counted only: nothing is decided by these rows')

/** One counter of a merchant: of one hour, or of all time. */
export type CounterRow = RowOf<typeof countersTable>

/** Moves the position up to which an audit chain is counted. */
export interface CounterPositionUpdate {
  readonly chain: string
  readonly from: number
  readonly to: number
}

const movePosition = sql`
  insert into tally_places (chain, seq) values ($1, $2)
  on conflict (chain) do update set seq = excluded.seq where tally_places.seq = $3 returning chain`

const addCount = sql`
  ${countersTable.insertSql}
  on conflict (bucket, merchant_id, hour, name) do update set count = tallies.count + excluded.count`

export interface AddCounters {
  /** Always in the same order, so that concurrent writers do not deadlock. */
  readonly counters: readonly CounterRow[]
  readonly position: CounterPositionUpdate | null
}

/**
 * Adds counts and moves the position in the audit chain up to which they were counted. Returns false and adds nothing when another process has moved
 * it already.
 */
export function* addCounters({ counters, position }: AddCounters): Transaction<boolean> {
  if (position !== null && (yield* runOne(movePosition, [position.chain, position.to, position.from])) === null) {
    return yield* rollback(false)
  }
  for (const counter of counters) yield* run(addCount, countersTable.toValues(counter))
  return true
}

const selectPositions = sql`select chain, seq from tally_places order by chain`

export function listCounterPositions(): Read<{ chain: string; seq: number }[]> {
  return {
    statement: selectPositions,
    values: [],
    map: (rows) => rows.map((row) => ({ chain: readText(row, 'chain'), seq: readInteger(row, 'seq') })),
  }
}

export interface CounterQuery extends MerchantKey {
  /** The first and the last hour. */
  readonly fromHour: number
  readonly toHour: number
  /** 1: by the hour; 24: by the days of Tashkent (UTC+5). */
  readonly stepHours: 1 | 24
}

export interface CounterStep {
  /** The number of the step since 1970: `floor((hour + 5) / stepHours)`. */
  readonly step: number
  readonly name: string
  readonly count: number
}

// Days begin at midnight in Tashkent, five hours before UTC's; there has been no summer time since 1992.
const selectSteps = sql`
  select (hour + 5) / cast($5 as bigint) as step, name, cast(sum(count) as bigint) as count from tallies
  where bucket = $1 and merchant_id = $2 and hour >= $3 and hour <= $4 group by 1, 2 order by 1, 2`

/** The counters of a range of hours, by step, then by name: at most as many as hours times names, however many cards there are. */
export function listCounters({ bucket, merchantId, fromHour, toHour, stepHours }: CounterQuery): Read<CounterStep[]> {
  return {
    statement: selectSteps,
    values: [bucket, merchantId, Math.max(fromHour, 1), toHour, stepHours],
    map: (rows) => rows.map((row) => ({ step: readInteger(row, 'step'), name: readText(row, 'name'), count: readInteger(row, 'count') })),
  }
}

const selectAllTime = sql`select name, count from tallies where bucket = $1 and merchant_id = $2 and hour = 0 order by name`

/** The counters of all time. */
export function listAllTimeCounters({ bucket, merchantId }: MerchantKey): Read<{ name: string; count: number }[]> {
  return {
    statement: selectAllTime,
    values: [bucket, merchantId],
    map: (rows) => rows.map((row) => ({ name: readText(row, 'name'), count: readInteger(row, 'count') })),
  }
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const deleteOld = sql`
  delete from tallies where (bucket, merchant_id, hour, name) in
    (select bucket, merchant_id, hour, name from tallies where hour > 0 and hour < $1 order by hour limit ${deletedRowsMax})
  returning hour`

/** Deletes a page of the counters of hours before `before`; returns how many. */
export function* deleteOldCounters({ before }: { readonly before: number }): Transaction<number> {
  return (yield* run(deleteOld, [before])).length
}
