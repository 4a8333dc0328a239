import { integer, readInteger, text, timestamp } from './columns.ts'
import { sql } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type Transaction, run, runOne, deletedRowsMax } from './transaction.ts'

// prettier-ignore
export const signInAttemptsTable = table('sign_in_attempts', {
  subject:     text().key(),                // the keyed hash of a phone or of a known device
  tries:       integer(),                   // wrong ones since the last success
  lockedUntil: timestamp(),
  endsAt:      timestamp(),                 // when the row may be deleted
}, 'counted by conditional statements, which have no keys; each process also counts in memory')

export type SignInAttemptsRow = RowOf<typeof signInAttemptsTable>

export interface CountSubjectAttempt {
  readonly subject: string
  readonly now: number
  readonly maxAttempts: number
  /** Until when the last allowed attempt locks. A later time in the row was not written by this service, and is no lock. */
  readonly lockUntil: number
  readonly endsAt: number
}

// One statement counts and decides, however many attempts are concurrent.
const countAttempt = sql`
  insert into sign_in_attempts (subject, tries, locked_until, ends_at) values ($1, 1, 0, $5)
  on conflict (subject) do update set
    tries = case when sign_in_attempts.tries >= $3 - 1 then 0 else sign_in_attempts.tries + 1 end,
    locked_until = case when sign_in_attempts.tries >= $3 - 1 then cast($4 as bigint) else 0 end,
    ends_at = excluded.ends_at
  where sign_in_attempts.locked_until <= $2 or sign_in_attempts.locked_until > cast($4 as bigint)
  returning subject`

/** Counts a sign-in attempt before it is evaluated. Returns false while the subject is locked; the last allowed attempt locks it. */
export function* countSubjectAttempt({ subject, now, maxAttempts, lockUntil, endsAt }: CountSubjectAttempt): Transaction<boolean> {
  return (yield* runOne(countAttempt, [subject, now, maxAttempts, lockUntil, endsAt])) !== null
}

const decrement = sql`update sign_in_attempts set tries = tries - 1 where subject = $1 and tries > 0 and locked_until = 0`

/** Uncounts one attempt: the password was right, and the second factor is asked for next. */
export function* uncountSubjectAttempt({ subject }: { readonly subject: string }): Transaction<void> {
  yield* run(decrement, [subject])
}

const deleteSubjects = sql`delete from sign_in_attempts where subject in ($1, $2, $3, $4)`

/** Forgets the attempts of up to four subjects, after a success. */
export function* deleteSignInAttempts({ subjects }: { readonly subjects: readonly string[] }): Transaction<void> {
  const [first = '', second = '', third = '', fourth = ''] = subjects
  yield* run(deleteSubjects, [first, second, third, fourth])
}

const selectLock = sql`select locked_until from sign_in_attempts where subject = $1`

/** Until when a subject is locked; 0 when it is not. */
export function findSignInLock(subject: string): Read<number> {
  return { statement: selectLock, values: [subject], map: ([row]) => (row === undefined ? 0 : readInteger(row, 'locked_until')) }
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const deleteOld = sql`
  delete from sign_in_attempts where subject in (select subject from sign_in_attempts where ends_at < $1 order by ends_at limit ${deletedRowsMax})
  returning subject`

/** Deletes a page of counts that are over; returns how many. */
export function* deleteOldSignInAttempts({ before }: { readonly before: number }): Transaction<number> {
  return (yield* run(deleteOld, [before])).length
}
