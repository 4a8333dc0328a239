import { bytes, integer, quote, quotedOrNull, text, textOrNull, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type { AuditNote, CardRiders, FormCardRow, FormSessionKey, FormSessionRow } from '../store.ts'
import { note, one, rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'
import { carry } from './riders.ts'

const columnList = [
  ...['bucket', 'session_id', 'merchant_id', 'hash', 'origin', 'customer', 'save', 'locale', 'attempts_left', 'created_at', 'ends_at'],
  ...['return_to', 'cancelled_at', 'mac'],
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
  yield* rows(insertRow, sessionValues(session))
  yield* note(audit)
}

const selectRow = sql`
  select ${columns} from form_sessions where bucket = $1 and session_id = $2 and merchant_id = $3 and hash = $4`

export function findFormSession({ bucket, sessionId, merchantId, hash }: FormSessionKey): Read<FormSessionRow | null> {
  return {
    statement: selectRow,
    values: [bucket, sessionId, merchantId, hash],
    tell: ([row]) => (row === undefined ? null : tellRow(row)),
  }
}

const changeRow = sql`
  update form_sessions set attempts_left = $4, cancelled_at = $5, mac = $6
  where bucket = $1 and session_id = $2 and merchant_id = $3 and mac = $7
  returning session_id`

export interface ChangeFormSession {
  readonly session: FormSessionRow
  readonly before: Uint8Array
  readonly audit: AuditNote | null
}

/** Changes the row that was read, and no other; false when somebody was faster. */
export function* changeFormSession({ session, before, audit }: ChangeFormSession): Unit<boolean> {
  const { bucket, sessionId, merchantId, attemptsLeft, cancelledAt, mac } = session
  if ((yield* one(changeRow, [bucket, sessionId, merchantId, attemptsLeft, cancelledAt, mac, before])) === null) return false
  if (audit !== null) yield* note(audit)
  return true
}

const cardColumnList = ['bucket', 'session_id', 'card_id', 'key_id', 'sealed', 'created_at', 'ends_at']
const cardColumns = cardColumnList.join(', ')
const insertCardRow = sql`insert into form_cards (${cardColumns}) values (${places(cardColumnList.length)})`

export function* keepFormCard({ bucket, sessionId, cardId, keyId, sealed, createdAt, endsAt }: FormCardRow): Unit<void> {
  yield* rows(insertCardRow, [bucket, sessionId, cardId, keyId, sealed, createdAt, endsAt])
}

const CARDS_MAX = 10
const selectCards = sql`
  select ${cardColumns} from form_cards where bucket = $1 and session_id = $2 order by created_at desc, card_id desc limit ${CARDS_MAX}`

export function listFormCards({ bucket, sessionId }: Pick<FormSessionKey, 'bucket' | 'sessionId'>): Read<FormCardRow[]> {
  return { statement: selectCards, values: [bucket, sessionId], tell: (told) => told.map(tellFormCard) }
}

function tellFormCard(row: Row): FormCardRow {
  return {
    bucket: integer(row, 'bucket'),
    sessionId: text(row, 'session_id'),
    cardId: text(row, 'card_id'),
    keyId: text(row, 'key_id'),
    sealed: bytes(row, 'sealed'),
    createdAt: integer(row, 'created_at'),
    endsAt: integer(row, 'ends_at'),
  }
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

const dropCardRows = sql`
  delete from form_cards where (bucket, session_id, card_id) in
    (select bucket, session_id, card_id from form_cards where ends_at < $1 order by ends_at limit ${DROP_PAGE})
  returning card_id`

/** Drops a page of sealed tokens that ended before a moment; tells how many. */
export function* dropFormCards(ask: { before: number }): Unit<number> {
  return (yield* rows(dropCardRows, [ask.before])).length
}

/** In the order of the columns. */
function sessionValues(session: FormSessionRow): Value[] {
  return [
    ...[session.bucket, session.sessionId, session.merchantId, session.hash, session.origin],
    ...[session.customer === null ? null : quote(session.customer), session.save, session.locale, session.attemptsLeft],
    ...[session.createdAt, session.endsAt, session.returnTo, session.cancelledAt, session.mac],
  ]
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
    returnTo: textOrNull(row, 'return_to'),
    cancelledAt: integer(row, 'cancelled_at'),
    mac: bytes(row, 'mac'),
  }
}
