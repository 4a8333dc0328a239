import type { AuditEntry } from './audit.ts'
import {
  text,
  quotedText,
  oneOf,
  integer,
  rowVersion,
  timestamp,
  bytes,
  rowMac,
  coveredIfSet,
  coveredIfNotZero,
  bigint,
} from './columns.ts'
import { table, type RowOf } from './table.ts'
import { type TransactionExtras, withExtras } from './extras.ts'
import { sql } from './statement.ts'
import { type DuplicateRequest, type Read, type Transaction, insertRow, run, runOne, writeAudit, deletedRowsMax } from './transaction.ts'

// prettier-ignore
export const formSessionsTable = table('form_sessions', {
  bucket:       integer().key(),
  sessionId:    text().key(),
  merchantId:   text(),
  hash:         bytes(),                  // SHA-256 of the secret half
  origin:       text(),                   // of the page that contains the form
  customer:     quotedText().nullable(),  // the merchant's own id of the payer; null when it gave none
  save:         oneOf('ask', 'off'),      // whether the form may ask the cardholder to save the card
  locale:       text().nullable(),
  attemptsLeft: integer(),                // cards that it still accepts
  createdAt:    timestamp(),
  endsAt:       timestamp(),
  returnTo:     text().nullable(),        // where the hosted page redirects the cardholder; null when the form is in a page of the merchant
  cancelledAt:  timestamp(),              // when the cardholder cancelled on the hosted page; 0 otherwise
  version:      rowVersion().versionOf('sessionId'),
  amountTiyin:  bigint().coveredAs(coveredIfNotZero('amount')), // shown to the payer; 0 when the merchant gave none
  orderText:    text().coveredAs(coveredIfSet('order')),        // the merchant's order number, shown to the payer; '' when it gave none
  cards:        text().coveredAs(coveredIfSet('cards')),        // ids of saved cards to choose from, separated by blanks, as the merchant gave them
  picked:       text().coveredAs(coveredIfSet('picked')),       // the id of the card that the payer picked; '' while there is none
  removals:     text().coveredAs(coveredIfSet('removals')),     // ids of cards whose removal the payer asked for, separated by blanks
  mac:          rowMac(),                 // it covers the attempts, so each attempt changes it
})

/** A permission for one payer to create tokens with the hosted form, issued by a merchant. Only the hash of the session's secret is stored. */
export type FormSessionRow = RowOf<typeof formSessionsTable>

// prettier-ignore
export const formCardsTable = table('form_cards', {
  bucket:    integer().key(),
  sessionId: text().key(),
  cardId:    text().key(),
  keyId:     text(),           // of the data key
  sealed:    bytes(),
  createdAt: timestamp(),
  endsAt:    timestamp(),
}, 'sealed under the secret of its session, which is not stored')

/** A card created with a session of the hosted page. Its token is sealed under the session's secret, which is not stored. */
export type FormCardRow = RowOf<typeof formCardsTable>

/** A session, identified by its id and the hash of its secret. */
export interface FormSessionKey {
  readonly bucket: number
  readonly merchantId: string
  readonly sessionId: string
  readonly hash: Uint8Array
}

export interface InsertFormSession extends TransactionExtras {
  readonly session: FormSessionRow
  readonly audit: AuditEntry
}

export function* insertFormSession({ session, audit, ...extras }: InsertFormSession): Transaction<void | DuplicateRequest> {
  return yield* withExtras(extras, insert({ session, audit }), () => true)
}

function* insert({ session, audit }: InsertFormSession): Transaction<void> {
  yield* insertRow(formSessionsTable, session)
  yield* writeAudit(audit)
}

const selectRow = sql`
  select ${formSessionsTable.columns} from form_sessions where bucket = $1 and session_id = $2 and merchant_id = $3 and hash = $4`

export function findFormSession({ bucket, sessionId, merchantId, hash }: FormSessionKey): Read<FormSessionRow | null> {
  return {
    statement: selectRow,
    values: [bucket, sessionId, merchantId, hash],
    map: ([row]) => (row === undefined ? null : formSessionsTable.fromRow(row)),
  }
}

const updateSession = sql`
  update form_sessions set attempts_left = $4, cancelled_at = $5, mac = $6, version = $8, picked = $9, removals = $10
  where bucket = $1 and session_id = $2 and merchant_id = $3 and mac = $7 and version = $8 - 1
  returning session_id`

export interface UpdateFormSession {
  readonly session: FormSessionRow
  readonly previousMac: Uint8Array
  readonly audit: AuditEntry
}

/** Updates attempts, cancellation, the payer's choices and MAC of version `session.version - 1`, whose MAC is `previousMac`. Returns false and writes nothing when another change came first. */
export function* updateFormSession({ session, previousMac, audit }: UpdateFormSession): Transaction<boolean> {
  const { bucket, sessionId, merchantId, attemptsLeft, cancelledAt, mac, version, picked, removals } = session
  const values = [bucket, sessionId, merchantId, attemptsLeft, cancelledAt, mac, previousMac, version, picked, removals]
  if ((yield* runOne(updateSession, values)) === null) return false
  yield* writeAudit(audit)
  return true
}

export function* insertFormCard(card: FormCardRow): Transaction<void> {
  yield* insertRow(formCardsTable, card)
}

const maxCards = 10

const selectCards = sql`
  select ${formCardsTable.columns} from form_cards where bucket = $1 and session_id = $2 order by created_at desc, card_id desc limit ${maxCards}`

/** The cards of a session whose sealed tokens are still stored, newest first; at most ten. */
export function listFormCards({ bucket, sessionId }: Pick<FormSessionKey, 'bucket' | 'sessionId'>): Read<FormCardRow[]> {
  return { statement: selectCards, values: [bucket, sessionId], map: (rows) => rows.map(formCardsTable.fromRow) }
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const deleteOld = sql`
  delete from form_sessions where (bucket, session_id) in
    (select bucket, session_id from form_sessions where ends_at < $1 order by ends_at limit ${deletedRowsMax})
  returning session_id`

/** Deletes a page of sessions that ended before a time; returns how many. */
export function* deleteOldFormSessions({ before }: { readonly before: number }): Transaction<number> {
  return (yield* run(deleteOld, [before])).length
}

const deleteOldCards = sql`
  delete from form_cards where (bucket, session_id, card_id) in
    (select bucket, session_id, card_id from form_cards where ends_at < $1 order by ends_at limit ${deletedRowsMax})
  returning card_id`

/** Deletes a page of sealed tokens that ended before a time; returns how many. */
export function* deleteOldFormCards({ before }: { readonly before: number }): Transaction<number> {
  return (yield* run(deleteOldCards, [before])).length
}
