import { bytes, text } from './columns.ts'
import { sql } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { insertNewRows, run, type Read, type Transaction } from './transaction.ts'

// prettier-ignore
export const knownAnswersTable = table('known_answers', {
  keyId:   text().key(),
  purpose: text(),
  owner:   text(),
  answer:  bytes(),     // vault/src/known-answer.ts
}, 'each is a keyed hash under the key that it names')

/** What a key answers, stored while the key is in use. */
export type KnownAnswerRow = RowOf<typeof knownAnswersTable>

export interface KnownAnswerChanges {
  readonly stored: readonly KnownAnswerRow[]
  /** Ids of keys that were destroyed. */
  readonly deleted: readonly string[]
}

const deleteAnswer = sql`delete from known_answers where key_id = $1 returning key_id`

/** Stores the answers of new keys and deletes those of destroyed ones. */
export function* changeKnownAnswers({ stored, deleted }: KnownAnswerChanges): Transaction<void> {
  yield* insertNewRows(knownAnswersTable, stored)
  for (const keyId of deleted) yield* run(deleteAnswer, [keyId])
}

const selectAnswers = sql`select ${knownAnswersTable.columns} from known_answers where key_id > $1 order by key_id limit $2`

/** In the order of the keys' ids, after the id `after`. */
export function listKnownAnswers(after: string, count: number): Read<KnownAnswerRow[]> {
  return { statement: selectAnswers, values: [after, count], map: (rows) => rows.map(knownAnswersTable.fromRow) }
}

const selectServiceAnswers = sql`select ${knownAnswersTable.columns} from known_answers where owner = '' order by key_id limit $1`

/** Those of the keys that belong to no merchant: a few. */
export function listServiceKnownAnswers(count: number): Read<KnownAnswerRow[]> {
  return { statement: selectServiceAnswers, values: [count], map: (rows) => rows.map(knownAnswersTable.fromRow) }
}
