import { leastIdAt } from '@tessera/vault/id'
import { integer, quote, quoted, text } from '../column.ts'
import { sql } from '../statement.ts'
import type { CardRow, ConsentsAsk, DisclosureKey, DisclosureRow, ListedCard } from '../store.ts'
import { rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'
import { cardColumns, tellCard, tellListed } from './cards.ts'

const columns = 'sha256, version, locale, wording, first_used_at, last_used_at'

const upsertRow = sql`
  insert into disclosures (${columns}) values ($1, $2, $3, $4, $5, $6)
  on conflict (sha256, version, locale) do update set last_used_at = excluded.last_used_at
  where disclosures.last_used_at < excluded.last_used_at returning sha256`

/** Keeps a text, or moves on when it was last used. */
export function* keepDisclosure({ sha256, version, locale, text: wording, firstUsedAt, lastUsedAt }: DisclosureRow): Unit<void> {
  yield* rows(upsertRow, [sha256, quote(version), quote(locale), quote(wording), firstUsedAt, lastUsedAt])
}

const selectRow = sql`select ${columns} from disclosures where sha256 = $1 and version = $2 and locale = $3`

export function findDisclosure({ sha256, version, locale }: DisclosureKey): Read<DisclosureRow | null> {
  return {
    statement: selectRow,
    values: [sha256, quote(version), quote(locale)],
    tell: ([row]) =>
      row === undefined
        ? null
        : {
            sha256: text(row, 'sha256'),
            version: quoted(row, 'version'),
            locale: quoted(row, 'locale'),
            text: quoted(row, 'wording'),
            firstUsedAt: integer(row, 'first_used_at'),
            lastUsedAt: integer(row, 'last_used_at'),
          },
  }
}

const cards = cardColumns.join(', ')
const selectCard = sql`select ${cards} from cards where bucket = $1 and card_id = $2`

export function findCardOfAny(bucket: number, cardId: string): Read<CardRow | null> {
  return { statement: selectCard, values: [bucket, cardId], tell: ([row]) => (row === undefined ? null : tellCard(row)) }
}

// Only the first and the last second of the span are looked at by the millisecond: a planner that is told of two ranges takes them for
// two things, thinks that few rows are in both, and goes by the index of the wrong one, or by none.
const selectConsents = sql`
  select ${cards} from cards where bucket = $1 and merchant_id = $2 and card_id > $3 and card_id < $7 and consent is not null
    and (card_id > $8 or created_at >= $4) and (card_id < $9 or created_at < $5)
  order by card_id limit $6`

/** A page of a merchant's cards with a consent, by their ids. These begin with their second: a span of time is a range of the key. */
export function listConsents({ bucket, merchantId, after, from, to, count }: ConsentsAsk): Read<ListedCard[]> {
  const [first, second, last, end] = [leastIdAt(from), leastIdAt(from + 1000), leastIdAt(to), leastIdAt(to + 1000)]
  const values = [bucket, merchantId, after > first ? after : first, from, to, count, end, second, last]
  return { statement: selectConsents, values, tell: (found) => found.map(tellListed) }
}
