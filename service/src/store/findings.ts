import type { MerchantKey } from './merchants.ts'
import { sql } from './statement.ts'
import { integer, oneOf, quotedText, text, timestamp } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type Transaction, run } from './transaction.ts'

// prettier-ignore
export const findingsTable = table('findings', {
  bucket:     integer().key(),
  merchantId: text().key(),
  kind:       text().key(),                        // a word of ours
  seenBy:     oneOf('server', 'browser').key(),    // `server` authenticated with the password; `browser` gave the merchant id alone, as anybody can
  count:      integer(),
  firstAt:    timestamp(),
  lastAt:     timestamp(),
  method:     text(),                              // this and the rest: of the last time
  origin:     quotedText(),                        // of the page; '' for none
  requestId:  text(),                              // as in our log
})

/** Something that a merchant's own code should not do, as the service saw it: how often and when, never what was sent. */
export type FindingRow = RowOf<typeof findingsTable>

// When two processes report the same kind, the counts are added and the later time stays.
const addCount = sql`
  ${findingsTable.insertSql}
  on conflict (bucket, merchant_id, kind, seen_by) do update set
    count = findings.count + excluded.count,
    method = case when excluded.last_at >= findings.last_at then excluded.method else findings.method end,
    origin = case when excluded.last_at >= findings.last_at then excluded.origin else findings.origin end,
    request_id = case when excluded.last_at >= findings.last_at then excluded.request_id else findings.request_id end,
    last_at = case when excluded.last_at >= findings.last_at then excluded.last_at else findings.last_at end`

/** Adds to the counts that are stored. Callers give the findings always in the same order, so that two of them do not deadlock. */
export function* addFindings({ findings }: { readonly findings: readonly FindingRow[] }): Transaction<void> {
  for (const finding of findings) yield* run(addCount, findingsTable.toValues(finding))
}

const selectFindings = sql`
  select ${findingsTable.columns} from findings where bucket = $1 and merchant_id = $2 order by last_at desc, kind, seen_by`

/** Latest first. */
export function listFindings({ bucket, merchantId }: MerchantKey): Read<FindingRow[]> {
  return { statement: selectFindings, values: [bucket, merchantId], map: (rows) => rows.map(findingsTable.fromRow) }
}
