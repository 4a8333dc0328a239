import { bytes, integer, quote, quotedOrNull, text, textOrNull, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row } from '../statement.ts'
import type { AuditNote, CardRiders, FormSessionRow, SpendFormSession, SpentFormSession } from '../store.ts'
import { note, one, rows } from '../unit.ts'
import type { Unit } from '../unit.ts'
import { carry } from './riders.ts'

const columnList = [
  ...['bucket', 'session_id', 'merchant_id', 'hash', 'origin', 'customer', 'save', 'locale', 'attempts_left', 'created_at', 'ends_at'],
]
const columns = columnList.join(', ')

const insertRow = sql`insert into form_sessions (${columns}) values (${places(columnList.length)})`

export interface InsertFormSession {
  readonly session: FormSessionRow
  readonly audit: AuditNote
  readonly riders: CardRiders | null
}

export function* insertFormSession(ask: InsertFormSession): Unit<void | 'twin'> {
  return yield* carry(ask.riders, keep(ask), () => true)
}

function* keep({ session, audit }: InsertFormSession): Unit<void> {
  const { bucket, sessionId, merchantId, hash, origin, customer, save, locale, attemptsLeft, createdAt, endsAt } = session
  const quotedCustomer = customer === null ? null : quote(customer)
  yield* rows(insertRow, [bucket, sessionId, merchantId, hash, origin, quotedCustomer, save, locale, attemptsLeft, createdAt, endsAt])
  yield* note(audit)
}

const spendRow = sql`
  update form_sessions set attempts_left = attempts_left - 1
  where bucket = $1 and session_id = $2 and merchant_id = $3 and hash = $4 and ends_at > $5 and attempts_left > 0
  returning ${columns}`

const selectRow = sql`
  select ${columns} from form_sessions where bucket = $1 and session_id = $2 and merchant_id = $3 and hash = $4`

/** Takes one attempt, or tells why there is none. */
export function* spendFormSession({ bucket, sessionId, merchantId, hash, now }: SpendFormSession): Unit<SpentFormSession> {
  const spent = yield* one(spendRow, [bucket, sessionId, merchantId, hash, now])
  if (spent !== null) return { kind: 'session', session: tellRow(spent) }
  const there = yield* one(selectRow, [bucket, sessionId, merchantId, hash])
  if (there === null) return { kind: 'unknown' }
  return { kind: tellRow(there).endsAt <= now ? 'ended' : 'usedUp' }
}

// A number, not a place: a planner that knows the page goes by the index.
const DROP_PAGE = 500
const dropRows = sql`
  delete from form_sessions where (bucket, session_id) in
    (select bucket, session_id from form_sessions where ends_at < $1 order by ends_at limit ${DROP_PAGE})
  returning session_id`

/** Drops a page of sessions that ended before a moment; tells how many. */
export function* dropFormSessions(ask: { before: number }): Unit<number> {
  return (yield* rows(dropRows, [ask.before])).length
}

function tellRow(row: Row): FormSessionRow {
  return {
    bucket: integer(row, 'bucket'),
    sessionId: text(row, 'session_id'),
    merchantId: text(row, 'merchant_id'),
    hash: bytes(row, 'hash'),
    origin: text(row, 'origin'),
    customer: quotedOrNull(row, 'customer'),
    save: word(row, 'save', ['ask', 'off']),
    locale: textOrNull(row, 'locale'),
    attemptsLeft: integer(row, 'attempts_left'),
    createdAt: integer(row, 'created_at'),
    endsAt: integer(row, 'ends_at'),
  }
}
