import type { Expiry } from '@tessera/contract/card'
import { bytes, integer, integerOrNull, quote, quotedOrNull, RowBroken, text, textOrNull, truth, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type { AuditNote, CardKey, CardPlace, CardRiders, CardRow, ListedCard } from '../store.ts'
import { note, one, rows, undo } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'
import { carry } from './riders.ts'

/** The columns of a card, in the order of `cardValues`. */
export const cardColumns = [
  ...[
    'bucket',
    'card_id',
    'merchant_id',
    'token_hash',
    'masked_pan',
    'type',
    'expiry',
    'recurrent',
    'verified',
    'state',
    'version',
    'key_id',
  ],
  ...['blob', 'mac', 'customer', 'account', 'consent', 'created_at', 'verified_at', 'ends_at', 'ended_at'],
] as const

const columns = cardColumns.join(', ')

const insertRow = sql`insert into cards (${columns}) values (${places(cardColumns.length)})`

export interface InsertCard {
  readonly card: CardRow
  readonly audit: AuditNote
  readonly riders: CardRiders | null
}

/** Keeps a new card. */
export function* insertCard(ask: InsertCard): Unit<void | 'twin'> {
  return yield* carry(ask.riders, keepCard(ask), () => true)
}

function* keepCard({ card, audit }: InsertCard): Unit<void> {
  yield* rows(insertRow, cardValues(card))
  yield* note(audit)
}

const changeable = cardColumns.slice(3)
const replaceRow = sql`
  update cards set ${changeable.map((column, at) => `${column} = $${at + 4}`).join(', ')}
  where bucket = $1 and card_id = $2 and merchant_id = $3 and version = $${cardColumns.length + 1}
  returning version`

const dropCode = sql`delete from verifications where bucket = $1 and card_id = $2`

export interface ChangeCard {
  readonly next: CardRow
  readonly audit: AuditNote
  readonly riders: CardRiders | null
}

/** Puts `next` in place of version `next.version - 1`; false when that version is no longer there. Shredding drops the code as well. */
export function* changeCard(ask: ChangeCard): Unit<boolean | 'twin'> {
  return yield* carry(ask.riders, change(ask), (isChanged) => isChanged)
}

function* change({ next, audit }: ChangeCard): Unit<boolean> {
  if (!(yield* replaceCardAndCode(next))) {
    yield* undo()
    return false
  }
  yield* note(audit)
  return true
}

/** The change and its code's end, for units that do more; whoever hears false has to undo. */
export function* replaceCardAndCode(next: CardRow): Unit<boolean> {
  // The code first: every unit locks the verification before the card, so that two of them cannot wait for each other.
  if (next.state === 'removed' || next.state === 'ended') yield* rows(dropCode, [next.bucket, next.cardId])
  return yield* replaceCard(next)
}

/** The change alone, for units that do more. */
export function* replaceCard(next: CardRow): Unit<boolean> {
  return (yield* one(replaceRow, [...cardValues(next), next.version - 1])) !== null
}

const selectRow = sql`select ${columns} from cards where bucket = $1 and card_id = $2 and merchant_id = $3`

export function findCard(key: CardKey): Read<CardRow | null> {
  return {
    statement: selectRow,
    values: [key.bucket, key.cardId, key.merchantId],
    tell: ([row]) => (row === undefined ? null : tellCard(row)),
  }
}

/** The same, and a row that cannot be read as its place. */
export function lookAtCard(key: CardKey): Read<ListedCard | null> {
  return { ...findCard(key), tell: ([row]) => (row === undefined ? null : tellListed(row)) }
}

/** Before every card. */
const first: CardPlace = { endsAt: Number.MIN_SAFE_INTEGER, cardId: '' }

const selectKept = sql`
  select ${columns} from cards where state = 'live' and recurrent = 1 and verified = 1 and ends_at < $1 and (ends_at, card_id) > ($3, $4)
  order by ends_at, card_id limit $2`

/** Live cards that were kept and end before `before`, oldest first. */
export function listKeptCards(before: number, count: number, { endsAt, cardId }: CardPlace = first): Read<ListedCard[]> {
  return { statement: selectKept, values: [before, count, endsAt, cardId], tell: (found) => found.map(tellListed) }
}

// 5 and 6: money is held on the card, or is being asked for.
const selectEnded = sql`
  select ${columns} from cards where state in ('live', 'expired') and ends_at < $1 and (ends_at, card_id) > ($3, $4)
    and not exists (select 1 from receipts r where r.bucket = cards.bucket and r.card_id = cards.card_id and r.state in (5, 6))
  order by ends_at, card_id limit $2`

/** Cards whose life ended before `now`, oldest first, still holding a sealed PAN; but not those that money is held on. */
export function listEndedCards(now: number, count: number, { endsAt, cardId }: CardPlace = first): Read<ListedCard[]> {
  return { statement: selectEnded, values: [now, count, endsAt, cardId], tell: (found) => found.map(tellListed) }
}

const selectUnderKey = sql`select ${columns} from cards where key_id = $1 and card_id > $2 and key_id <> '' order by card_id limit $3`

/** Cards sealed under a key; `after` is the last id of the page before. */
export function listCardsUnderKey(keyId: string, after: string, count: number): Read<ListedCard[]> {
  return { statement: selectUnderKey, values: [keyId, after, count], tell: (found) => found.map(tellListed) }
}

const countByKey = sql`select key_id, count(*) as cards from cards where key_id <> '' group by key_id order by key_id`

export function countCardsByKey(): Read<{ keyId: string; cards: number }[]> {
  return {
    statement: countByKey,
    values: [],
    tell: (found) => found.map((row) => ({ keyId: text(row, 'key_id'), cards: integer(row, 'cards') })),
  }
}

/** The values of a card's columns. */
export function cardValues(card: CardRow): Value[] {
  return [
    ...[card.bucket, card.cardId, card.merchantId, card.tokenHash, card.maskedPan, card.type, card.expiry],
    ...[Number(card.recurrent), Number(card.verified), card.state, card.version, card.keyId, card.blob, card.mac],
    ...[card.customer === null ? null : quote(card.customer), card.account, card.consent],
    ...[card.createdAt, card.verifiedAt, card.endsAt, card.endedAt],
  ]
}

export function tellCard(row: Row): CardRow {
  return {
    bucket: integer(row, 'bucket'),
    cardId: text(row, 'card_id'),
    merchantId: text(row, 'merchant_id'),
    tokenHash: bytes(row, 'token_hash'),
    maskedPan: text(row, 'masked_pan'),
    type: text(row, 'type'),
    expiry: tellExpiry(row),
    recurrent: truth(row, 'recurrent'),
    verified: truth(row, 'verified'),
    state: word(row, 'state', ['live', 'expired', 'removed', 'ended']),
    version: integer(row, 'version'),
    keyId: text(row, 'key_id'),
    blob: bytes(row, 'blob'),
    mac: bytes(row, 'mac'),
    customer: quotedOrNull(row, 'customer'),
    account: textOrNull(row, 'account'),
    consent: textOrNull(row, 'consent'),
    createdAt: integer(row, 'created_at'),
    verifiedAt: integerOrNull(row, 'verified_at'),
    endsAt: integer(row, 'ends_at'),
    endedAt: integerOrNull(row, 'ended_at'),
  }
}

export function tellListed(row: Row): ListedCard {
  try {
    return tellCard(row)
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    // A list by the end of life meets no card whose end cannot be read.
    const endsAt = row['ends_at'] === null || err.column === 'ends_at' ? 0 : Number(row['ends_at'])
    // SQLite tells an integer that no double holds as NaN.
    const told = Number(row['created_at'])
    const createdAt = Number.isNaN(told)
      ? Number.MAX_SAFE_INTEGER
      : Math.max(Number.MIN_SAFE_INTEGER, Math.min(told, Number.MAX_SAFE_INTEGER))
    return { brokenAt: err.column, merchantId: text(row, 'merchant_id'), cardId: text(row, 'card_id'), endsAt, createdAt }
  }
}

function tellExpiry(row: Row): Expiry {
  const expiry = text(row, 'expiry')
  if (!/^(0[1-9]|1[0-2])[0-9]{2}$/.test(expiry)) throw new RowBroken('expiry')
  return expiry as Expiry
}
