import { readInteger } from './columns.ts'
import { type Row, sql } from './statement.ts'
import { type Read, type Transaction, run, runOne, deletedRowsMax } from './transaction.ts'

/** One send to a PAN or phone. The subject is its keyed hash under the daily key, so that nothing permanent is stored about it. */
export interface SendClaim {
  readonly keyId: string
  readonly scope: 'pan' | 'phone'
  readonly subject: Uint8Array
  readonly at: number
  /** At most `count` sends in the last `ms`; counts up to 5. */
  readonly windows: readonly { readonly count: number; readonly ms: number }[]
}

export type SendClaimResult = { readonly claimed: true } | { readonly claimed: false; readonly retryAfterMs: number }

// t1 is the newest send, t5 the fifth newest; 0 for never. There are fewer than k sends in the last m ms when the k-th newest is m ms or more ago.
// One statement checks all windows and counts, so that of two concurrent sends only one gets the last free place. It refuses after a clock was set back.
const upsertSend = sql`
  insert into send_limits (key_id, scope, subject, t1, t2, t3, t4, t5, made_at) values ($1, $2, $3, $4, 0, 0, 0, 0, $4)
  on conflict (key_id, scope, subject) do update set
    t5 = send_limits.t4, t4 = send_limits.t3, t3 = send_limits.t2, t2 = send_limits.t1, t1 = excluded.t1
  where ${[1, 2, 3, 4, 5].map((k) => isWindowFree(`send_limits.t${k}`, `$${k + 4}`)).join(' and ')}
  returning t1`

const selectSends = sql`select t1, t2, t3, t4, t5 from send_limits where key_id = $1 and scope = $2 and subject = $3`

/** Counts a send if all windows allow it; otherwise writes nothing. To be called before an SMS is sent. */
export function* claimSend(claim: SendClaim): Transaction<SendClaimResult> {
  const windows = readWindows(claim)
  const counted = yield* runOne(upsertSend, [claim.keyId, claim.scope, claim.subject, claim.at, ...windows])
  if (counted !== null) return { claimed: true }

  const sends = yield* runOne(selectSends, [claim.keyId, claim.scope, claim.subject])
  return { claimed: false, retryAfterMs: Math.max(1, waitOf(sends, claim)) }
}

/** Milliseconds until a send is allowed; 0: now. Counts nothing. */
export function findSendWait(claim: SendClaim): Read<number> {
  const values = [claim.keyId, claim.scope, claim.subject]
  return { statement: selectSends, values, map: ([sends]) => Math.max(0, waitOf(sends ?? null, claim)) }
}

function waitOf(sends: Row | null, claim: SendClaim): number {
  const freeAt = readWindows(claim).map((ms, at) => (sends === null || ms === 0 ? 0 : readInteger(sends, `t${at + 1}`) + ms))
  return Math.max(...freeAt) - claim.at
}

const upsertDayAttempt = sql`
  insert into day_tries (key_id, subject, tries, ends_at) values ($1, $2, 1, $3)
  on conflict (key_id, subject) do update set tries = day_tries.tries + 1 where day_tries.tries < $4
  returning tries`

/** The daily limit of code attempts for a PAN. */
export interface DayAttemptCap {
  readonly keyId: string
  readonly subject: Uint8Array
  readonly maxAttempts: number
  readonly endsAt: number
}

/** Counts a code attempt of the day for a PAN. Returns false when the daily limit is reached. */
export function* countDayAttempt(cap: DayAttemptCap): Transaction<boolean> {
  return (yield* runOne(upsertDayAttempt, [cap.keyId, cap.subject, cap.endsAt, cap.maxAttempts])) !== null
}

const selectDayAttempts = sql`select tries from day_tries where key_id = $1 and subject = $2`

/** How many code attempts of the day are counted for a PAN. */
export function countDayAttempts({ keyId, subject }: Pick<DayAttemptCap, 'keyId' | 'subject'>): Read<number> {
  return { statement: selectDayAttempts, values: [keyId, subject], map: ([row]) => (row === undefined ? 0 : readInteger(row, 'tries')) }
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const deleteOldSends = sql`
  delete from send_limits where (key_id, scope, subject) in
    (select key_id, scope, subject from send_limits where made_at < $1 order by made_at limit ${deletedRowsMax})
  returning scope`

const deleteOldDayAttempts = sql`
  delete from day_tries where (key_id, subject) in (select key_id, subject from day_tries where ends_at < $1 order by ends_at limit ${deletedRowsMax})
  returning tries`

const deleteAttempts = sql`
  delete from verifications where (bucket, card_id) in (select bucket, card_id from verifications where asked_wall < $1 order by asked_wall limit ${deletedRowsMax})
  returning tries`

/** Deletes a page of limits and verifications before a time; returns how many rows. */
export function* deleteOldLimits({ before }: { readonly before: number }): Transaction<number> {
  let deleted = 0
  for (const statement of [deleteOldSends, deleteOldDayAttempts, deleteAttempts]) deleted += (yield* run(statement, [before])).length
  return deleted
}

/** The durations of the windows of 1 to 5 sends; 0 without one. */
function readWindows(claim: SendClaim): number[] {
  const durations = [0, 0, 0, 0, 0]
  for (const { count, ms } of claim.windows) {
    if (!Number.isInteger(count) || count < 1 || count > durations.length)
      throw new Error(`a send window counts 1 to ${durations.length} sends`)
    durations[count - 1] = Math.max(durations[count - 1] ?? 0, ms)
  }
  return durations
}

function isWindowFree(time: string, duration: string): string {
  return `(cast(${duration} as bigint) = 0 or ${time} = 0 or excluded.t1 - ${time} >= cast(${duration} as bigint))`
}

// Wrong codes of all cards are counted in the table of day attempts, in slices of five minutes and eight shards, so that not every wrong code
// updates the same row. A slice expires an hour after its end, so a wrong code counts for an hour to an hour and five minutes.

const upsertWrong = sql`
  insert into day_tries (key_id, subject, tries, ends_at) values ($1, $2, $3, $4)
  on conflict (key_id, subject) do update set tries = day_tries.tries + excluded.tries
  returning tries`

const selectWrong = sql`
  select cast(coalesce(sum(tries), 0) as bigint) as tries, cast(coalesce(min(ends_at), 0) as bigint) as first_ends_at
  from day_tries where key_id = $1 and subject >= $2 and subject < $3 and ends_at > $4`

/** The bucket and the time of a code attempt. */
export interface CodeAttemptTime {
  readonly bucket: number
  readonly at: number
}

/** For how many more milliseconds no code is evaluated because too many were wrong; 0 when codes are evaluated. */
export function* findWrongCodeWait({ at }: CodeAttemptTime, maxPerHour: number): Transaction<number> {
  const now = Math.trunc(at)
  const counted = yield* runOne(selectWrong, [keyId, ...countedSlices(now), now])
  if (counted === null || readInteger(counted, 'tries') < maxPerHour) return 0
  return Math.max(1, readInteger(counted, 'first_ends_at') - now)
}

/** How many codes were wrong in the last hour, over all cards. */
export function countWrongCodes(at: number): Read<number> {
  const values = [keyId, ...countedSlices(at), Math.trunc(at)]
  return { statement: selectWrong, values, map: ([row]) => (row === undefined ? 0 : readInteger(row, 'tries')) }
}

/** Adds to the count of wrong codes; a negative `count` subtracts. */
export function* addWrongCodes({ bucket, at }: CodeAttemptTime, count: number): Transaction<void> {
  yield* run(upsertWrong, [keyId, subjectOf(sliceAt(at), bucket % shards), count, wrongCodeSlices.endOf(at)])
}

/** Until when a wrong code counts: an hour after the end of its slice. */
export const wrongCodeSlices = Object.freeze({
  endOf: (at: number): number => (sliceAt(at) + 1 + slicesPerHour) * sliceMs,
  /**
   * The last `endOf` that counts at a time. Those of the next slice do, since another process may be ahead by seconds; later ones were counted by a clock that
   * was ahead, and would stop all verification until their hour has come.
   */
  lastEndOf: (at: number): number => (sliceAt(at) + 2 + slicesPerHour) * sliceMs,
})

/** The subjects of the slices that count at a time: from, and up to but without. */
function countedSlices(at: number): [Uint8Array, Uint8Array] {
  return [subjectOf(sliceAt(at) - slicesPerHour, 0), subjectOf(sliceAt(at) + 2, 0)]
}

function sliceAt(at: number): number {
  return Math.floor(at / sliceMs)
}

/** Subjects sort by time. */
function subjectOf(slice: number, shard: number): Uint8Array {
  const subject = new Uint8Array(5)
  new DataView(subject.buffer).setUint32(0, slice)
  subject[4] = shard
  return subject
}

/** No key has this id: key ids are hex. */
const keyId = 'wrong_codes'

const sliceMs = 300_000

const slicesPerHour = 12

const shards = 8
