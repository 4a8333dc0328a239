import { integer } from '../column.ts'
import { sql } from '../statement.ts'
import { one, rows } from '../unit.ts'
import type { Unit } from '../unit.ts'

// Counted beside the tries of the day, in slices of five minutes and, so that no row is everybody's, in eight shards. A slice counts until an
// hour after its end: a wrong code counts for at least an hour, and at most five minutes longer.

const upsertWrong = sql`
  insert into day_tries (key_id, subject, tries, ends_at) values ($1, $2, $3, $4)
  on conflict (key_id, subject) do update set tries = day_tries.tries + excluded.tries
  returning tries`

const selectWrong = sql`
  select cast(coalesce(sum(tries), 0) as bigint) as tries, cast(coalesce(min(ends_at), 0) as bigint) as first_ends_at
  from day_tries where key_id = $1 and subject >= $2 and ends_at > $3`

/** Where and when a code is tried. */
export interface Tried {
  readonly bucket: number
  readonly at: number
}

/** How long no code may be looked at, in milliseconds, because so many were wrong; 0: they may. */
export function* askWrongCodes({ at }: Tried, hourMax: number): Unit<number> {
  const now = Math.trunc(at)
  const counted = yield* one(selectWrong, [KEY_ID, subjectOf(sliceAt(now) - SLICES_IN_HOUR, 0), now])
  if (counted === null || integer(counted, 'tries') < hourMax) return 0
  return Math.max(1, integer(counted, 'first_ends_at') - now)
}

/** Counts wrong codes, or takes some back. */
export function* addWrongCodes({ bucket, at }: Tried, count: number): Unit<void> {
  const slice = sliceAt(at)
  const endsAt = (slice + 1 + SLICES_IN_HOUR) * SLICE_MS
  yield* rows(upsertWrong, [KEY_ID, subjectOf(slice, bucket % SHARDS), count, endsAt])
}

function sliceAt(at: number): number {
  return Math.floor(at / SLICE_MS)
}

/** Slices sort as they follow each other. */
function subjectOf(slice: number, shard: number): Uint8Array {
  const subject = new Uint8Array(5)
  new DataView(subject.buffer).setUint32(0, slice)
  subject[4] = shard
  return subject
}

/** No key has this id: ids of keys are hex. */
const KEY_ID = 'wrong_codes'
const SLICE_MS = 300_000
const SLICES_IN_HOUR = 12
const SHARDS = 8
