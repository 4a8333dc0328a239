import { integer } from '../column.ts'
import { sql } from '../statement.ts'
import type { Claimed, CodeTry, SendClaim } from '../store.ts'
import { one, rows } from '../unit.ts'
import type { Unit } from '../unit.ts'

// t1 is the newest send, t5 the fifth newest; 0 is never. At most k sends in m ms holds exactly when the k-th newest is m ms or more ago.
// One statement decides over all windows and shifts, so that two at once cannot both take the last place. A clock that went back shuts.
const upsertSend = sql`
  insert into send_limits (key_id, scope, subject, t1, t2, t3, t4, t5, made_at) values ($1, $2, $3, $4, 0, 0, 0, 0, $4)
  on conflict (key_id, scope, subject) do update set
    t5 = send_limits.t4, t4 = send_limits.t3, t3 = send_limits.t2, t2 = send_limits.t1, t1 = excluded.t1
  where ${[1, 2, 3, 4, 5].map((k) => windowHolds(`send_limits.t${k}`, `$${k + 4}`)).join(' and ')}
  returning t1`

const selectSends = sql`select t1, t2, t3, t4, t5 from send_limits where key_id = $1 and scope = $2 and subject = $3`

/** Counts a send, if all its windows have room. Refusing writes nothing. */
export function* claimSend(claim: SendClaim): Unit<Claimed> {
  const windows = readWindows(claim)
  const counted = yield* one(upsertSend, [claim.keyId, claim.scope, claim.subject, claim.at, ...windows])
  if (counted !== null) return { claimed: true }

  const sends = yield* one(selectSends, [claim.keyId, claim.scope, claim.subject])
  const freeAt = windows.map((ms, at) => (sends === null || ms === 0 ? 0 : integer(sends, `t${at + 1}`) + ms))
  return { claimed: false, retryAfterMs: Math.max(1, Math.max(...freeAt) - claim.at) }
}

const upsertDayTry = sql`
  insert into day_tries (key_id, subject, tries, ends_at) values ($1, $2, 1, $3)
  on conflict (key_id, subject) do update set tries = day_tries.tries + 1 where day_tries.tries < $4
  returning tries`

/** Counts a try of a PAN's day; false when the day has no more. */
export function* countDayTry(cap: NonNullable<CodeTry['dayCap']>): Unit<boolean> {
  return (yield* one(upsertDayTry, [cap.keyId, cap.subject, cap.endsAt, cap.triesMax])) !== null
}

// A number, not a place: a planner that knows the page goes by the index.
const DROP_PAGE = 500
const dropSends = sql`
  delete from send_limits where (key_id, scope, subject) in
    (select key_id, scope, subject from send_limits where made_at < $1 order by made_at limit ${DROP_PAGE})
  returning scope`
const dropDayTries = sql`
  delete from day_tries where (key_id, subject) in (select key_id, subject from day_tries where ends_at < $1 order by ends_at limit ${DROP_PAGE})
  returning tries`
const dropAttempts = sql`
  delete from verifications where (bucket, card_id) in (select bucket, card_id from verifications where asked_wall < $1 order by asked_wall limit ${DROP_PAGE})
  returning tries`

/** Drops a page of what limits and codes left behind before a moment; tells how many rows. */
export function* dropLimits(ask: { before: number }): Unit<number> {
  let dropped = 0
  for (const statement of [dropSends, dropDayTries, dropAttempts]) dropped += (yield* rows(statement, [ask.before])).length
  return dropped
}

/** The span of each of the five places, 0 where no window asks for it. */
function readWindows(claim: SendClaim): number[] {
  const spans = [0, 0, 0, 0, 0]
  for (const { count, ms } of claim.windows) {
    if (!Number.isInteger(count) || count < 1 || count > spans.length) throw new Error(`a send window counts 1 to ${spans.length} sends`)
    spans[count - 1] = Math.max(spans[count - 1] ?? 0, ms)
  }
  return spans
}

function windowHolds(time: string, span: string): string {
  return `(cast(${span} as bigint) = 0 or ${time} = 0 or excluded.t1 - ${time} >= cast(${span} as bigint))`
}
