import type { MerchantKey } from './merchants.ts'
import { sql } from './statement.ts'
import { integer, oneOf, quotedText, text, timestamp } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type Transaction, run } from './transaction.ts'

// prettier-ignore
export const findingsTable = table('findings', {
  bucket:     integer().key(),
  merchantId: text().key(),
  kind:       text().key(),                        // one of our own names
  seenBy:     oneOf('server', 'browser').key(),    // `server` authenticated with the password; `browser` gave the merchant id alone, as anybody can
  count:      integer(),
  firstAt:    timestamp(),
  lastAt:     timestamp(),
  method:     text(),                              // this column and those below are of the last time
  origin:     quotedText(),                        // of the page; '' for none
  requestId:  text(),                              // as in our log
}, 'shown and counted only: nothing is decided by these rows')

/** Unsafe use of the API by a merchant's own code, as the service observed it: how often and when, never what was sent. */
export type FindingRow = RowOf<typeof findingsTable>

// When two processes report the same kind, the counts are added and the later time is stored.
const addCount = sql`
  ${findingsTable.insertSql}
  on conflict (bucket, merchant_id, kind, seen_by) do update set
    count = findings.count + excluded.count,
    method = case when excluded.last_at >= findings.last_at then excluded.method else findings.method end,
    origin = case when excluded.last_at >= findings.last_at then excluded.origin else findings.origin end,
    request_id = case when excluded.last_at >= findings.last_at then excluded.request_id else findings.request_id end,
    last_at = case when excluded.last_at >= findings.last_at then excluded.last_at else findings.last_at end`

/** Adds to the stored counts. Callers pass findings always in the same order, so that concurrent writers do not deadlock. */
export function* addFindings({ findings }: { readonly findings: readonly FindingRow[] }): Transaction<void> {
  for (const finding of findings) yield* run(addCount, findingsTable.toValues(finding))
}

const selectFindings = sql`
  select ${findingsTable.columns} from findings where bucket = $1 and merchant_id = $2 order by last_at desc, kind, seen_by`

/** Newest first. */
export function listFindings({ bucket, merchantId }: MerchantKey): Read<FindingRow[]> {
  return { statement: selectFindings, values: [bucket, merchantId], map: (rows) => rows.map(findingsTable.fromRow) }
}
