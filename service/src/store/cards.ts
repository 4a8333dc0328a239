import type { Expiry } from '@tessera/contract/card'
import { leastIdAt } from '@tessera/vault/id'
import type { AuditEntry } from './audit.ts'
import {
  text,
  quotedText,
  oneOf,
  integer,
  timestamp,
  boolean,
  bytes,
  rowMac,
  checked,
  RowBroken,
  quote,
  readText,
  readInteger,
} from './columns.ts'
import { makeRowsUpdate, type RowsStatement } from './rows-statement.ts'
import { table, type RowOf } from './table.ts'
import { type TransactionExtras, withExtras } from './extras.ts'
import type { MerchantKey } from './merchants.ts'
import { insertEvents } from './outbox.ts'
import { isOwnedBy, placeholders, type Row, sql } from './statement.ts'
import {
  type DuplicateRequest,
  type Read,
  type TimeCursor,
  type Transaction,
  insertRow,
  rollback,
  updateRow,
  updateRows,
  writeAudit,
  execute,
  executeForRows,
} from './transaction.ts'

export interface CardKey {
  readonly bucket: number
  readonly merchantId: string
  readonly cardId: string
}

// prettier-ignore
export const cardsTable = table('cards', {
  bucket:     integer().key(),
  cardId:     text().key(),
  merchantId: text().owner(),
  tokenHash:  bytes(),                           // SHA-256 of the token's secret half
  maskedPan:  text(),                            // the long mask, `860006******6311`
  type:       text(),
  expiry:     checked(text(), isExpiry),         // MMYY
  recurrent:  boolean(),
  verified:   boolean(),
  state:      oneOf('live', 'expired', 'removed', 'ended'),
  version:    integer().versionOf('cardId'),     // from 1; each change adds one
  keyId:      text(),                            // key of the outer layer, hex; '' once shredded
  blob:       bytes(),                           // the sealed PAN; empty once shredded
  mac:        rowMac(
    'bucket', 'merchantId', 'cardId', 'version', 'tokenHash', 'maskedPan', 'type', 'expiry', 'recurrent', 'verified',
    'state', 'keyId', 'blob', 'customer', 'account', 'consent', 'createdAt', 'verifiedAt', 'endsAt', 'endedAt',
  ),
  customer:   quotedText().nullable(),
  account:    text().nullable(),                 // JSON, as given
  consent:    text().nullable(),                 // JSON: the text that was agreed to, or that the merchant asserted consent
  createdAt:  timestamp(),
  verifiedAt: timestamp().nullable(),
  endsAt:     timestamp(),                       // when the sealed PAN is shredded: 30 min unverified, 24 h one-time, 30 days past the expiry
  endedAt:    timestamp().nullable(),
})

export type CardRow = RowOf<typeof cardsTable>
export type CardState = CardRow['state']

/** The last card of a page of a list by `endsAt`. */
export type CardEndCursor = Pick<CardRow, 'endsAt' | 'cardId'>

/** In a list, a card whose row is broken: its ids and the column that cannot be read. */
export interface BrokenCard extends CardEndCursor {
  readonly merchantId: string
  /** The stored time, limited to safe integers: a list by time continues after it. */
  readonly createdAt: number
  readonly brokenAt: string
}

/** A broken row must not hide the other rows of a list. */
export type ListedCard = CardRow | BrokenCard

export interface ConsentListQuery {
  readonly bucket: number
  readonly merchantId: string
  /** Cards created from this time on, unix ms, and before `to`. */
  readonly from: number
  readonly to: number
  /** The last card of the page before; '' for the first. */
  readonly after: string
  readonly count: number
}

/** What the verification funnel counts of a card. */
export interface FunnelCard {
  readonly cardId: string
  readonly isVerified: boolean
  readonly isPaid: boolean
}

export interface FunnelQuery extends MerchantKey {
  /** Created from this time, unix milliseconds. */
  readonly from: number
  /** Created before this time. */
  readonly to: number
  readonly cardsMax: number
}

export interface CardListQuery {
  readonly bucket: number
  readonly merchantId: string
  readonly after: TimeCursor | null
  readonly count: number
  /** Null for all cards. `lastFour` are the last four digits. */
  readonly by: { readonly lastFour: string } | { readonly customer: string } | null
}

export interface CardChange extends TransactionExtras {
  readonly card: CardRow
  readonly audit: AuditEntry
}

/** Inserts a new card: `insert into cards`, built from the column map. PostgreSQL coalesces several of them (postgres/coalesced.ts). */
export function* insertCard({ card, audit, ...extras }: CardChange): Transaction<void | DuplicateRequest> {
  return yield* withExtras(extras, insert({ card, audit }), () => true)
}

function* insert({ card, audit }: CardChange): Transaction<void> {
  yield* insertRow(cardsTable, card)
  yield* writeAudit(audit)
}

const deleteVerification = sql`delete from verifications where bucket = $1 and card_id = $2`

/** Replaces version `card.version - 1`. Returns false when another change came first. Shredding a card deletes its verification too. */
export function* updateCard({ card, audit, ...extras }: CardChange): Transaction<boolean | DuplicateRequest> {
  return yield* withExtras(extras, update({ card, audit }), (isUpdated) => isUpdated)
}

function* update({ card, audit }: CardChange): Transaction<boolean> {
  if (!(yield* replaceCardAndVerification(card))) return yield* rollback(false)
  yield* writeAudit(audit)
  return true
}

/** Changes of many cards in one transaction, in the order of their keys, so that two processes lock them in one order. */
export interface CardsChange {
  readonly changes: readonly CardChange[]
}

const resealed = makeRowsUpdate(cardsTable, 'version', 'keyId', 'blob', 'mac')

/** Stores cards under another data key. Returns how many; the others, to which another change came first, stay as they are. */
export function* resealCards({ changes }: CardsChange): Transaction<number> {
  const cards = new Set(
    yield* updateRows(
      resealed,
      changes.map(({ card }) => card),
    ),
  )
  for (const { card, audit } of changes) if (cards.has(card)) yield* writeAudit(audit)
  return cards.size
}

const swept = makeRowsUpdate(cardsTable, 'version', 'state', 'keyId', 'blob', 'mac', 'endedAt')

const deleteVerifications: RowsStatement = {
  ofOne: deleteVerification,
  ofAll: sql`
    delete from verifications using unnest($1::integer[], $2::text[]) as ended (bucket, card_id)
    where verifications.bucket = ended.bucket and verifications.card_id = ended.card_id`,
}

/** Stores cards that have expired or ended, with their events. Returns how many: all of them, or none when another change came first to one of them. */
export function* sweepCards({ changes }: CardsChange): Transaction<number> {
  const ended = changes.filter(({ card }) => card.state === 'ended').map(({ card }) => [card.bucket, card.cardId])
  // Always the verification before the card, as in every other transaction.
  if (ended.length > 0) yield* executeForRows(deleteVerifications, ended)
  const { length } = yield* updateRows(
    swept,
    changes.map(({ card }) => card),
  )
  if (length < changes.length) return yield* rollback(0)
  for (const { audit } of changes) yield* writeAudit(audit)
  yield* insertEvents(changes.flatMap(({ events = [] }) => events))
  return length
}

/** A step of larger transactions: replaces the card and deletes its verification when it is shredded. On false the caller must roll back. */
export function* replaceCardAndVerification(card: CardRow): Transaction<boolean> {
  // Always the verification before the card, so that all transactions lock in one order.
  if (card.state === 'removed' || card.state === 'ended') yield* execute(deleteVerification, [card.bucket, card.cardId])
  return yield* replaceCard(card)
}

/** The same without the verification. */
export function* replaceCard(card: CardRow): Transaction<boolean> {
  return yield* updateRow(cardsTable, card)
}

const selectRow = sql`select ${cardsTable.columns} from cards where bucket = $1 and card_id = $2 and ${isOwnedBy('$3')}`

export function findCard(key: CardKey): Read<CardRow | null> {
  return {
    statement: selectRow,
    values: [key.bucket, key.cardId, key.merchantId],
    map: ([row]) => (row === undefined ? null : cardsTable.fromRow(row)),
  }
}

/** The same; a row that cannot be read is returned as `BrokenCard`. */
export function findCardOrBroken(key: CardKey): Read<ListedCard | null> {
  return { ...findCard(key), map: ([row]) => (row === undefined ? null : toListed(row)) }
}

/** A cursor before every card. */
const first: CardEndCursor = { endsAt: Number.MIN_SAFE_INTEGER, cardId: '' }

const selectSaved = sql`
  select ${cardsTable.columns} from cards where state = 'live' and recurrent = 1 and verified = 1 and ends_at < $1 and (ends_at, card_id) > ($3, $4)
  order by ends_at, card_id limit $2`

/** Live cards that were saved and end before `before`, oldest first. */
export function listSavedCards(before: number, count: number, { endsAt, cardId }: CardEndCursor = first): Read<ListedCard[]> {
  return { statement: selectSaved, values: [before, count, endsAt, cardId], map: (rows) => rows.map(toListed) }
}

// States 5 and 6: money is held on the card, or a hold is being requested.
const selectEnded = sql`
  select ${cardsTable.columns} from cards where state in ('live', 'expired') and ends_at < $1 and (ends_at, card_id) > ($3, $4)
    and not exists (select 1 from receipts r where r.bucket = cards.bucket and r.card_id = cards.card_id and r.state in (5, 6))
  order by ends_at, card_id limit $2`

/** Cards whose lifetime ended before `now` and that still hold a sealed PAN, oldest first; cards on which money is held are left out. */
export function listEndedCards(now: number, count: number, { endsAt, cardId }: CardEndCursor = first): Read<ListedCard[]> {
  return { statement: selectEnded, values: [now, count, endsAt, cardId], map: (rows) => rows.map(toListed) }
}

const countSaved = sql`select count(*) as cards from cards where state = 'live' and recurrent = 1 and verified = 1 and ends_at < $1`

/** How many `listSavedCards` lists. */
export function countSavedCards(before: number): Read<number> {
  return { statement: countSaved, values: [before], map: ([row]) => (row === undefined ? 0 : readInteger(row, 'cards')) }
}

const countEnded = sql`
  select count(*) as cards from cards where state in ('live', 'expired') and ends_at < $1
    and not exists (select 1 from receipts r where r.bucket = cards.bucket and r.card_id = cards.card_id and r.state in (5, 6))`

/** How many `listEndedCards` lists. */
export function countEndedCards(now: number): Read<number> {
  return { statement: countEnded, values: [now], map: ([row]) => (row === undefined ? 0 : readInteger(row, 'cards')) }
}

const selectByKey = sql`select ${cardsTable.columns} from cards where key_id = $1 and card_id > $2 and key_id <> '' order by card_id limit $3`

/** Cards sealed under a key, in the order of their ids; `after` is the last id of the page before, '' for the first page. */
export function listCardsByKey(keyId: string, after: string, count: number): Read<ListedCard[]> {
  return { statement: selectByKey, values: [keyId, after, count], map: (rows) => rows.map(toListed) }
}

const countByKey = sql`select key_id, count(*) as cards from cards where key_id <> '' group by key_id order by key_id`

export function countCardsByKey(): Read<{ keyId: string; cards: number }[]> {
  return {
    statement: countByKey,
    values: [],
    map: (rows) => rows.map((row) => ({ keyId: readText(row, 'key_id'), cards: readInteger(row, 'cards') })),
  }
}

export function toListed(row: Row): ListedCard {
  try {
    return cardsTable.fromRow(row)
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    // A list by `endsAt` contains no card whose `endsAt` cannot be read.
    const endsAt = row['ends_at'] === null || err.column === 'ends_at' ? 0 : Number(row['ends_at'])
    // The SQLite reader returns NaN for an integer that no double holds.
    const stored = Number(row['created_at'])
    const createdAt = Number.isNaN(stored)
      ? Number.MAX_SAFE_INTEGER
      : Math.max(Number.MIN_SAFE_INTEGER, Math.min(stored, Number.MAX_SAFE_INTEGER))
    return { brokenAt: err.column, merchantId: readText(row, 'merchant_id'), cardId: readText(row, 'card_id'), endsAt, createdAt }
  }
}

function isExpiry(stored: string): stored is Expiry {
  return /^(0[1-9]|1[0-2])[0-9]{2}$/.test(stored)
}

const page = `(created_at, card_id) < ($3, $4) order by created_at desc, card_id desc limit $5`

const selectAll = sql`select ${cardsTable.columns} from cards where bucket = $1 and merchant_id = $2 and ${page}`

// The expression of the index, so that it is used.
const selectByLastFour = sql`
  select ${cardsTable.columns} from cards where bucket = $1 and merchant_id = $2 and substr(masked_pan, length(masked_pan) - 3) = $6 and ${page}`

const selectByCustomer = sql`select ${cardsTable.columns} from cards where bucket = $1 and merchant_id = $2 and customer = $6 and ${page}`

/** A cursor before every card of a list that begins with the newest. */
const newest: TimeCursor = { at: Number.MAX_SAFE_INTEGER, id: '' }

/** A merchant's cards, newest first by (createdAt, cardId), after the cursor. */
export function listCards({ bucket, merchantId, after, count, by }: CardListQuery): Read<ListedCard[]> {
  const { at, id } = after ?? newest
  const values = [bucket, merchantId, at, id, count]
  const map: Read<ListedCard[]>['map'] = (rows) => rows.map(toListed)
  if (by === null) return { statement: selectAll, values, map }
  if ('lastFour' in by) return { statement: selectByLastFour, values: [...values, by.lastFour], map }
  return { statement: selectByCustomer, values: [...values, quote(by.customer)], map }
}

const selectOfAnyMerchant = sql`select ${cardsTable.columns} from cards where bucket = $1 and card_id = $2`

/** A card of any merchant, for operators. */
export function findCardOfAnyMerchant(bucket: number, cardId: string): Read<CardRow | null> {
  return { statement: selectOfAnyMerchant, values: [bucket, cardId], map: ([row]) => (row === undefined ? null : cardsTable.fromRow(row)) }
}

// `created_at` is compared only in the first and the last second of the range: if both ranges applied to every row, the planner would take them
// for independent, expect too few rows, and use the wrong index or none.
const selectConsents = sql`
  select ${cardsTable.columns} from cards where bucket = $1 and merchant_id = $2 and card_id > $3 and card_id < $7 and consent is not null
    and (card_id > $8 or created_at >= $4) and (card_id < $9 or created_at < $5)
  order by card_id limit $6`

/** A merchant's cards with a consent, removed ones too, in the order of their ids. An id begins with its second, so a time range is a range of the key. */
export function listConsents({ bucket, merchantId, after, from, to, count }: ConsentListQuery): Read<ListedCard[]> {
  const [first, second, last, end] = [leastIdAt(from), leastIdAt(from + 1000), leastIdAt(to), leastIdAt(to + 1000)]
  const values = [bucket, merchantId, after > first ? after : first, from, to, count, end, second, last]
  return { statement: selectConsents, values, map: (rows) => rows.map(toListed) }
}

// An index lookup for each of a bounded number of cards: the cost is bounded, however many cards and payments there are. The last condition on the payments always
// holds: it keeps PostgreSQL from a hash table of all of them.
const selectFunnelCards = sql`
  select card_id, case when verified_at is null then 0 else 1 end as verified,
    case when verified_at is not null and exists (select 1 from receipts as r where r.bucket = $1 and r.card_id = newest.card_id
      and r.card_id <> '' and r.pay_time > 0 and r.card_id >= newest.card_id) then 1 else 0 end as paid
  from (select card_id, verified_at from cards where bucket = $1 and merchant_id = $2 and created_at >= $3 and created_at < $4
    order by created_at desc, card_id desc limit $5) as newest`

/** The newest cards of a time range, `cardsMax` at most. */
export function listFunnelCards({ bucket, merchantId, from, to, cardsMax }: FunnelQuery): Read<FunnelCard[]> {
  return {
    statement: selectFunnelCards,
    values: [bucket, merchantId, from, to, cardsMax],
    map: (rows) =>
      rows.map((row) => ({
        cardId: readText(row, 'card_id'),
        isVerified: readInteger(row, 'verified') === 1,
        isPaid: readInteger(row, 'paid') === 1,
      })),
  }
}

/** At most so many cards in one query. */
export const maskedPansMax = 100

const selectMaskedPans = sql`
  select card_id, masked_pan from cards where bucket = $1 and card_id in (${placeholders(maskedPansMax, 3)}) and ${isOwnedBy('$2')}`

/** The masked numbers of cards, by card id; those whose row is deleted are missing. */
export function listMaskedPans({ bucket, merchantId }: MerchantKey, cardIds: readonly string[]): Read<Map<string, string>> {
  return {
    statement: selectMaskedPans,
    values: [bucket, merchantId, ...Array.from({ length: maskedPansMax }, (_, at) => cardIds[at] ?? '')],
    map: (rows) => new Map(rows.map((row) => [readText(row, 'card_id'), readText(row, 'masked_pan')])),
  }
}
