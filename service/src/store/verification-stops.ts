import { readInteger } from './columns.ts'
import { type Row, sql } from './statement.ts'
import { type Read, type Transaction, execute, rollback, runOne } from './transaction.ts'

// Wrong codes in a row are counted in the table of day attempts, by card number, phone and customer. A row ends so long after its last wrong code as a
// stop lasts: until then the next wrong code goes on counting, and a row with as many as the policy admits is a stop.

/** What a stop is for, as its keyed hash under a daily key. */
export interface StopSubject {
  /** Subjects of one kind are the same card, phone or customer under several keys: their counts are kept equal. */
  readonly kind: 'card' | 'phone' | 'customer'
  readonly keyId: string
  readonly subject: Uint8Array
}

/** When verification stops, by the policy in force. */
export interface WrongCodeStop {
  readonly subjects: readonly StopSubject[]
  /** Wrong codes in a row. */
  readonly maxWrongCodes: number
  readonly durationMs: number
}

/** `stopped`: the code may not be evaluated. `begun`: for whom a stop begins if the code is wrong. */
export type WrongCodeClaim =
  { readonly kind: 'stopped'; readonly retryAfterMs: number } | { readonly kind: 'counted'; readonly begun: readonly StopSubject[] }

// One statement decides whether a code may be evaluated and counts it as wrong. It locks the row, so that of concurrent codes of one card no more are
// evaluated than the policy admits.
const upsertWrongCode = sql`
  insert into day_tries (key_id, subject, tries, ends_at) values ($1, $2, 1, $3)
  on conflict (key_id, subject) do update set
    tries = case when day_tries.ends_at <= cast($4 as bigint) then 1 else day_tries.tries + 1 end, ends_at = excluded.ends_at
  where day_tries.tries < cast($5 as bigint) or day_tries.ends_at <= cast($4 as bigint)
  returning tries`

const raiseWrongCodes = sql`update day_tries set tries = $3 where key_id = $1 and subject = $2`

const selectWrongCodes = sql`select tries, ends_at from day_tries where key_id = $1 and subject = $2`

const deleteWrongCodes = sql`delete from day_tries where key_id = $1 and subject = $2`

const decrementWrongCodes = sql`
  update day_tries set tries = tries - 1 where key_id = $1 and subject = $2 and tries > 0`

/** Counts a code as wrong before it is evaluated. To be followed by `forgetWrongCodes` if it is right. */
export function* claimWrongCode(stop: WrongCodeStop, at: number): Transaction<WrongCodeClaim> {
  const now = Math.trunc(at)
  const counts: { readonly of: StopSubject; readonly tries: number }[] = []
  // In one order, so that two transactions do not wait for each other.
  for (const each of inOrder(stop.subjects)) {
    const { keyId, subject } = each
    const counted = yield* runOne(upsertWrongCode, [keyId, subject, now + stop.durationMs, now, stop.maxWrongCodes])
    if (counted === null) {
      const stored = yield* runOne(selectWrongCodes, [keyId, subject])
      return yield* rollback({ kind: 'stopped', retryAfterMs: Math.max(1, waitOf(stored, stop, now)) })
    }
    counts.push({ of: each, tries: readInteger(counted, 'tries') })
  }
  const begun: StopSubject[] = []
  for (const { of, tries } of counts) {
    const most = Math.max(...counts.filter((other) => other.of.kind === of.kind).map((other) => other.tries))
    // The key of the day changed after the first wrong code, and the key before it will not be looked at for ever.
    if (tries < most) yield* execute(raiseWrongCodes, [of.keyId, of.subject, most])
    if (most >= stop.maxWrongCodes) begun.push(of)
  }
  return { kind: 'counted', begun }
}

/** Counts a wrong code of which the network reports that it was the last one. */
export function* beginStop({ subjects, maxWrongCodes, durationMs }: WrongCodeStop, at: number): Transaction<void> {
  for (const { keyId, subject } of inOrder(subjects))
    yield* execute(upsertStop, [keyId, subject, maxWrongCodes, Math.trunc(at) + durationMs])
}

const upsertStop = sql`
  insert into day_tries (key_id, subject, tries, ends_at) values ($1, $2, $3, $4)
  on conflict (key_id, subject) do update set tries = excluded.tries, ends_at = excluded.ends_at`

/** After a right code. */
export function* forgetWrongCodes({ subjects }: WrongCodeStop): Transaction<void> {
  for (const { keyId, subject } of inOrder(subjects)) yield* execute(deleteWrongCodes, [keyId, subject])
}

/** Takes one count back: the network did not evaluate the code. */
export function* uncountWrongCode({ subjects }: WrongCodeStop): Transaction<void> {
  for (const { keyId, subject } of inOrder(subjects)) yield* execute(decrementWrongCodes, [keyId, subject])
}

/** For how many more milliseconds verification of a subject is stopped; 0 when it is not. */
export function findStopWait({ keyId, subject }: StopSubject, stop: Omit<WrongCodeStop, 'subjects'>, at: number): Read<number> {
  return { statement: selectWrongCodes, values: [keyId, subject], map: ([row]) => waitOf(row ?? null, stop, Math.trunc(at)) }
}

/** Never longer than the policy says, whatever the row says. */
function waitOf(row: Row | null, { maxWrongCodes, durationMs }: Omit<WrongCodeStop, 'subjects'>, now: number): number {
  if (row === null || readInteger(row, 'tries') < maxWrongCodes) return 0
  return Math.min(Math.max(0, readInteger(row, 'ends_at') - now), durationMs)
}

function inOrder(subjects: readonly StopSubject[]): readonly StopSubject[] {
  return [...subjects].sort((a, b) => (a.keyId === b.keyId ? Buffer.compare(a.subject, b.subject) : a.keyId < b.keyId ? -1 : 1))
}
