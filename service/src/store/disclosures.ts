import { quote, quotedText, rowMac, text, timestamp } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { sql } from './statement.ts'
import { type Read, type Transaction, run } from './transaction.ts'

// prettier-ignore
export const disclosuresTable = table('disclosures', {
  sha256:      text().key(),                        // of the text in UTF-8, hex
  version:     quotedText().key(),
  locale:      quotedText().key(),
  text:        quotedText().named('wording'),
  firstUsedAt: timestamp(),
  lastUsedAt:  timestamp().notCovered('shown only; moved by a conditional update, which has no keys'),
  mac:         rowMac(),
})

/** A consent text that was shown to cardholders. */
export type DisclosureRow = RowOf<typeof disclosuresTable>

/** How a consent names its text. */
export type DisclosureKey = Pick<DisclosureRow, 'sha256' | 'version' | 'locale'>

const upsertDisclosure = sql`
  ${disclosuresTable.insertSql}
  on conflict (sha256, version, locale) do update set last_used_at = excluded.last_used_at
  where disclosures.last_used_at < excluded.last_used_at returning sha256`

/** Stores a new text; for a stored one it updates the last use. A text is never deleted. */
export function* saveDisclosure(disclosure: DisclosureRow): Transaction<void> {
  yield* run(upsertDisclosure, disclosuresTable.toValues(disclosure))
}

const selectDisclosure = sql`select ${disclosuresTable.columns} from disclosures where sha256 = $1 and version = $2 and locale = $3`

export function findDisclosure({ sha256, version, locale }: DisclosureKey): Read<DisclosureRow | null> {
  return {
    statement: selectDisclosure,
    values: [sha256, quote(version), quote(locale)],
    map: ([row]) => (row === undefined ? null : disclosuresTable.fromRow(row)),
  }
}
