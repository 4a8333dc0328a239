import { integer, text } from '../column.ts'
import { sql } from '../statement.ts'
import type { SpanTally, Tally, TallyMove, TallyOf, TallySpan } from '../store.ts'
import { one, rows, undo } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const movePlace = sql`
  insert into tally_places (chain, seq) values ($1, $2)
  on conflict (chain) do update set seq = excluded.seq where tally_places.seq = $3 returning chain`

const upsertTally = sql`
  insert into tallies (bucket, merchant_id, hour, name, count) values ($1, $2, $3, $4, $5)
  on conflict (bucket, merchant_id, hour, name) do update set count = tallies.count + excluded.count`

export interface AddTallies {
  /** In one order everywhere, so that two who write wait and do not lock each other out. */
  readonly tallies: readonly Tally[]
  readonly move: TallyMove | null
}

/** Adds counts, with the place in the chain that they were counted up to; nothing when somebody else has counted from there. */
export function* addTallies({ tallies, move }: AddTallies): Unit<boolean> {
  if (move !== null && (yield* one(movePlace, [move.chain, move.to, move.from])) === null) {
    yield* undo()
    return false
  }
  for (const { bucket, merchantId, hour, name, count } of tallies) yield* rows(upsertTally, [bucket, merchantId, hour, name, count])
  return true
}

const selectPlaces = sql`select chain, seq from tally_places order by chain`

export function listTallyPlaces(): Read<{ chain: string; seq: number }[]> {
  return {
    statement: selectPlaces,
    values: [],
    tell: (found) => found.map((row) => ({ chain: text(row, 'chain'), seq: integer(row, 'seq') })),
  }
}

// Days begin at midnight in Tashkent, which is five hours before UTC's and has known no summer time since 1992.
const selectSpan = sql`
  select (hour + 5) / cast($5 as bigint) as step, name, cast(sum(count) as bigint) as count from tallies
  where bucket = $1 and merchant_id = $2 and hour >= $3 and hour <= $4 group by 1, 2 order by 1, 2`

/** The counts of a span: at most its hours times the names, however many cards there are. */
export function listTallies({ bucket, merchantId, fromHour, toHour, stepHours }: TallySpan): Read<SpanTally[]> {
  return {
    statement: selectSpan,
    values: [bucket, merchantId, Math.max(fromHour, 1), toHour, stepHours],
    tell: (found) => found.map((row) => ({ step: integer(row, 'step'), name: text(row, 'name'), count: integer(row, 'count') })),
  }
}

const selectAllTime = sql`select name, count from tallies where bucket = $1 and merchant_id = $2 and hour = 0 order by name`

/** The counts of all time, of the few names that have one. */
export function findTallies({ bucket, merchantId }: TallyOf): Read<{ name: string; count: number }[]> {
  return {
    statement: selectAllTime,
    values: [bucket, merchantId],
    tell: (found) => found.map((row) => ({ name: text(row, 'name'), count: integer(row, 'count') })),
  }
}

// A number, not a place: a planner that knows the page goes by the index.
const DROP_PAGE = 500
const dropRows = sql`
  delete from tallies where (bucket, merchant_id, hour, name) in
    (select bucket, merchant_id, hour, name from tallies where hour > 0 and hour < $1 order by hour limit ${DROP_PAGE})
  returning hour`

/** Drops a page of counts of the hours before one. */
export function* dropTallies({ before }: { before: number }): Unit<number> {
  return (yield* rows(dropRows, [before])).length
}
